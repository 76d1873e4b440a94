import { ApiError } from '../../api-client/api-client.js';
import { type Context } from '../context.js';
import { type Row } from '../output/cells.js';
import { withQuery } from './request.js';

/* Rows of a table with names where the API has ids: of devices, of operators, and of the waves of a rollout. */

/** A selector of so many ids stays far below the longest address that a gateway takes. */
const TOGETHER = 40;

/** The column that a table has in the place of one with an id. */
const SHOWN_AS: Readonly<Record<string, string>> = { deviceId: 'device', operatorId: 'operator' };

type Names = ReadonlyMap<string, string>;

/** The columns of a table for people. */
export const namedColumns = (columns: readonly string[]): string[] => columns.map((name) => SHOWN_AS[name] ?? name);

/**
 * Rows with names beside their ids. What has no name for the caller keeps its id.
 * @param path of the list
 */
export async function* namedRows(
  rows: AsyncIterable<Row>,
  columns: readonly string[],
  path: string,
  context: Context,
): AsyncGenerator<Row> {
  const needed = new Set(columns);
  if (!['deviceId', 'operatorId', 'target', 'wave'].some((name) => needed.has(name))) return yield* rows;
  const operators = needed.has('operatorId') || needed.has('target') ? await namesIn('/v1/operators', context) : NONE;
  const waves = needed.has('wave') ? await waveNames(path, context) : NONE;
  for await (const part of inParts(rows)) {
    const devices = await deviceNames(part.flatMap(deviceIdsIn), context);
    for (const row of part) yield named(row, { devices, operators, waves });
  }
}

const NONE: Names = new Map();

function named(row: Row, names: { devices: Names; operators: Names; waves: Names }): Row {
  const { deviceId, operatorId, target, wave } = row;
  const nameOf = (known: Names, id: unknown) => known.get(String(id)) ?? id;
  return {
    ...row,
    ...(deviceId === undefined ? {} : { device: nameOf(names.devices, deviceId) }),
    ...(operatorId === undefined ? {} : { operator: nameOf(names.operators, operatorId) }),
    ...(typeof target === 'string' ? { target: names.devices.get(target) ?? nameOf(names.operators, target) } : {}),
    ...(typeof wave === 'number' ? { wave: names.waves.get(String(wave)) ?? wave + 1 } : {}),
  };
}

const deviceIdsIn = ({ deviceId, kind, target }: Row): string[] =>
  [deviceId, kind === 'device' ? target : null].filter((id) => typeof id === 'string');

async function* inParts(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let part: Row[] = [];
  for await (const row of rows) {
    if (part.push(row) < TOGETHER) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function deviceNames(ids: readonly string[], context: Context): Promise<Names> {
  if (ids.length === 0) return NONE;
  const selector = [...new Set(ids)].map((id) => `id=${id}`).join(' | ');
  return namesIn(withQuery('/v1/devices', { selector, fields: 'name', limit: String(TOGETHER) }), context);
}

/** Names by their ids; none where the caller may not see the list. */
async function namesIn(list: string, context: Context): Promise<Names> {
  const items = await read<{ items: readonly { id: string; name: string }[] }>(list, context);
  return new Map(items?.items.map(({ id, name }) => [id, name]));
}

async function waveNames(path: string, context: Context): Promise<Names> {
  const [rollout] = path.split('/devices');
  const found = await read<{ waves?: readonly { ordinal: number; name: string }[] }>(rollout!, context);
  return new Map(found?.waves?.map(({ ordinal, name }) => [String(ordinal), name]));
}

async function read<Answer>(path: string, context: Context): Promise<Answer | null> {
  try {
    return (await (await context.send('GET', path)).json()) as Answer;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
