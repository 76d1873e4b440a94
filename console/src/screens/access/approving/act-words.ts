/* What a request of an approval asks for, in words. Nothing has happened yet. */

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
}

export interface AskedSummary {
  /** Null: it names devices, and the reader sees only some devices. */
  readonly selector: string | null;
  readonly requests: readonly AskedRequest[];
}

/** The summary of an approval; what is not as expected is left out. */
export function readSummary(summary: Readonly<Record<string, unknown>>): AskedSummary {
  const { selector, requests } = summary;
  return {
    selector: typeof selector === 'string' ? selector : null,
    requests: Array.isArray(requests) ? requests.filter(isRequest) : [],
  };
}

const isRequest = (value: unknown): value is AskedRequest => {
  const { method, path } = (value ?? {}) as Record<string, unknown>;
  return typeof method === 'string' && typeof path === 'string';
};

const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\/system\/actions\/reboot$/, 'restart'],
  [/\/firmware\/.*actions\/upgrade$/, 'install firmware on'],
  [/\/firmware\/.*actions\//, 'prepare firmware on'],
  [/\/actions\/reset_settings$/, 'reset the settings of'],
  [/\/backup\/.*actions\/(?:apply|restore)$/, 'restore a backup on'],
];

/** `restart`, `change “ntp” on`: a verb before a number of devices. */
function verbOf({ method, path }: AskedRequest): string {
  const known = ACTIONS.find(([pattern]) => pattern.test(path));
  if (known) return known[1];
  const service = path
    .replace(/^\/api\//, '')
    .replace(/\/(?:config|global)(?:\/.*)?$/, '')
    .replaceAll('/', ' › ');
  if (method === 'PUT') return `change “${service}” on`;
  if (method === 'DELETE') return `remove from “${service}” on`;
  return path.includes('/actions/') ? `run “${service}” on` : `add to “${service}” on`;
}

/** `restart 25 devices`. */
export function actText({ requests }: AskedSummary, devices: number): string {
  const amount = `${devices.toLocaleString('en')} ${devices === 1 ? 'device' : 'devices'}`;
  const [first, ...others] = requests;
  if (!first) return `write to ${amount}`;
  const more = others.length > 0 ? `, and send ${others.length} more ${others.length === 1 ? 'call' : 'calls'}` : '';
  return `${verbOf(first)} ${amount}${more}`;
}

/** Whether two requests do the same, in the same order. */
export const isSameAct = (a: readonly AskedRequest[], b: readonly AskedRequest[]): boolean =>
  a.length === b.length && a.every(({ method, path }, at) => b[at]?.method === method && b[at].path === path);
