/* The calls that a person sent to many devices, and those that they marked; in their browser alone, without bodies. */

export interface RememberedCall {
  readonly method: string;
  readonly path: string;
  readonly selector: string;
}

export interface RememberedCalls {
  readonly favourites: readonly RememberedCall[];
  readonly last: readonly RememberedCall[];
}

const LAST_MAX = 10;
const FAVOURITES_MAX = 30;

const isSame = (a: RememberedCall, b: RememberedCall) =>
  a.method === b.method && a.path === b.path && a.selector === b.selector;

/** Reads what a browser has stored; anything else is none. */
export function readCalls(text: string | null): RememberedCalls {
  try {
    const { favourites, last } = JSON.parse(text ?? '') as Record<string, unknown>;
    return { favourites: callsOf(favourites), last: callsOf(last) };
  } catch {
    return { favourites: [], last: [] };
  }
}

const callsOf = (list: unknown): readonly RememberedCall[] =>
  Array.isArray(list) ? list.filter(isCall).map(({ method, path, selector }) => ({ method, path, selector })) : [];

function isCall(value: unknown): value is RememberedCall {
  const { method, path, selector } = (value ?? {}) as Record<string, unknown>;
  const isKnown = typeof method === 'string' && /^(?:GET|POST|PUT|DELETE)$/.test(method);
  return isKnown && typeof path === 'string' && path.startsWith('/') && typeof selector === 'string';
}

/** With a call that was sent, the newest first, each once. */
export const withSent = ({ favourites, last }: RememberedCalls, call: RememberedCall): RememberedCalls => ({
  favourites,
  last: [call, ...last.filter((one) => !isSame(one, call))].slice(0, LAST_MAX),
});

/** With a call marked, or no longer. */
export function withMarked({ favourites, last }: RememberedCalls, call: RememberedCall): RememberedCalls {
  const rest = favourites.filter((one) => !isSame(one, call));
  const isMarked = rest.length < favourites.length;
  return { favourites: isMarked ? rest : [...rest, call].slice(-FAVOURITES_MAX), last };
}
