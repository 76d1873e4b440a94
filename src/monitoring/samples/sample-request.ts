import { type BulkItem, canonicalPath, PATHS } from '../../device-api/contract.js';

/* What a sample asks a device for: one bulk request, whose items are the paths of its metrics. Pure. */

/** Groups of values that a policy names; each is one path or two. */
export const METRICS = ['modem', 'interface', 'usage', 'position', 'data'] as const;
export type Metric = (typeof METRICS)[number];

/** A further path with a number somewhere in its answer. */
export interface ExtraMetric {
  readonly path: string;
  /** RFC 6901, in the `data` of the answer. */
  readonly pointer: string;
  readonly name: string;
  readonly type: 'gauge' | 'counter';
}

/** `loadavg` costs the router a second, and `load` says nearly the same. */
export const SAMPLE_PATHS = {
  modems: PATHS.modemsStatus,
  interfaces: PATHS.interfacesStatus,
  usage: `${PATHS.usageStatus}?exclude=loadavg`,
  position: PATHS.positionStatus,
  dataOfDay: PATHS.dataOfDay,
  dataOfMonth: PATHS.dataOfMonth,
} as const;

const PATHS_OF: Readonly<Record<Metric, readonly string[]>> = {
  modem: [SAMPLE_PATHS.modems],
  interface: [SAMPLE_PATHS.interfaces],
  usage: [SAMPLE_PATHS.usage],
  position: [SAMPLE_PATHS.position],
  data: [SAMPLE_PATHS.dataOfDay, SAMPLE_PATHS.dataOfMonth],
};

/** What a policy asks for. */
export interface Wish {
  readonly metrics: readonly Metric[];
  readonly extra: readonly ExtraMetric[];
}

/** The paths of a wish, each once, sorted: equal lists cost the same. */
export function pathsOf({ metrics, extra }: Wish): string[] {
  return [...new Set([...metrics.flatMap((metric) => PATHS_OF[metric]), ...extra.map(({ path }) => path)])].sort();
}

/** A path as rights judge it. */
export const pathForRights = (path: string): string => canonicalPath(path.split('?', 1)[0]!);

/** The body of a bulk request that reads. */
export function bulkReadRequest(paths: readonly string[]): { readonly data: BulkItem[] } {
  return { data: paths.map((endpoint) => ({ endpoint, method: 'GET' })) };
}
