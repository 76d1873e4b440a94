import { type PublicClient, type Step } from './flow.js';

/* Whether an answer has what a client reads. */

/** What is wrong with an answer for a step; null when the client works with it. */
export function problemOf(
  { status, json }: { readonly status: number; readonly json: unknown },
  step: Step,
  accepts: PublicClient['accepts'],
): string | null {
  const body = json as { success?: unknown; errors?: { code?: unknown }[] } | null | undefined;
  const said = `${status} ${JSON.stringify(body?.errors ?? body)?.slice(0, 400)}`;
  if (step.status !== undefined && status !== step.status) return said;
  if (step.code !== undefined) return body?.errors?.some(({ code }) => code === step.code) ? null : said;
  const isAccepted = accepts === 'body' ? body?.success === true : accepts === '200' ? status === 200 : status < 300;
  if (step.status === undefined && !isAccepted) return said;
  for (const [path, type] of Object.entries(step.has ?? {})) {
    const wrong = wrongAt(json, path.split('.'), type);
    if (wrong !== null) return `${path} must be ${type}, is ${wrong}`;
  }
  return null;
}

/** Types of values by their names in tables. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  whole: (value) => Number.isInteger(value),
  bool: (value) => typeof value === 'boolean',
  flag: (value) => value === '0' || value === '1',
  list: Array.isArray,
  object: isObject,
  map: (value) => isObject(value) || (Array.isArray(value) && value.length === 0),
  /** A row of data usage: an instant, received and sent bytes. */
  usage: (value) => Array.isArray(value) && value.length === 3 && value.every(Number.isInteger),
  any: (value) => value !== undefined,
  none: (value) => value === undefined,
};

/** @returns the wrong value as text; null when all values at the path are right */
function wrongAt(value: unknown, path: readonly string[], type: string): string | null {
  const [name, ...rest] = path;
  if (name === undefined) return isType(value, type) ? null : (JSON.stringify(value)?.slice(0, 60) ?? 'absent');
  const isEach = name.endsWith('[]');
  const inner = isObject(value) ? value[isEach ? name.slice(0, -2) : name] : undefined;
  if (!isEach) return wrongAt(inner, rest, type);
  if (!Array.isArray(inner) || inner.length === 0) return 'in no list with an entry';
  for (const one of inner as readonly unknown[]) {
    const wrong = wrongAt(one, rest, type);
    if (wrong !== null) return wrong;
  }
  return null;
}

function isType(value: unknown, type: string): boolean {
  if (type.startsWith('=')) return JSON.stringify(value) === type.slice(1);
  if (type.endsWith('?')) return value === undefined || isType(value, type.slice(0, -1));
  return type.split('|').some((one) => TYPES[one]!(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
