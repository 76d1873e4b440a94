import { api } from '../../../api/client.js';

/* The small charts of all rows on the screen by one request: those that are asked for in the same moment go together. */

export type SparkMetric = 'rsrp' | 'temperature' | 'memoryFree' | 'load1';

type Points = readonly (number | null)[];

interface Waiting {
  readonly ids: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, Points>>;
}

/** Rows are drawn within a frame or two. */
const GATHER_MS = 40;

/** As many as the gateway takes. */
const IDS_MAX = 100;

const waiting = new Map<SparkMetric, Waiting>();

/** The values of a device of the last 24 hours; empty where it may not be read. */
export async function sparklineOf(metric: SparkMetric, deviceId: string): Promise<Points> {
  let batch = waiting.get(metric);
  if (!batch || batch.ids.size >= IDS_MAX) {
    const ids = new Set<string>();
    batch = { ids, answer: gathered(metric, ids) };
    waiting.set(metric, batch);
  }
  batch.ids.add(deviceId);
  return (await batch.answer).get(deviceId) ?? [];
}

async function gathered(metric: SparkMetric, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Points>> {
  await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  if (waiting.get(metric)?.ids === ids) waiting.delete(metric);
  const query = { metric, ids: [...ids].join(',') };
  const { items } = await api.get('/v1/monitoring/sparklines', { params: { query } });
  return new Map(items.map(({ id, points }) => [id, points]));
}
