import { type FanOutInput } from './fan-outs.contract.js';

/* What a retry may send again, and to which devices. Pure. */

/** What a fan-out knew of a device when it began. */
export interface FormerDevice {
  readonly baseUrl: string;
  readonly serial: string | null;
}

/** What is known of it now. The address before a job `move` is its spare one. */
export interface CurrentDevice extends FormerDevice {
  readonly spareUrl: string | null;
}

/**
 * Whether a device is still the one that a fan-out was made for: the address of then is one of its two, and the serial number
 * is the same as far as it was known.
 */
export function isSameDevice(before: FormerDevice | undefined, now: CurrentDevice): boolean {
  if (!before || (before.baseUrl !== now.baseUrl && before.baseUrl !== now.spareUrl)) return false;
  return before.serial === null || before.serial === now.serial;
}

/**
 * What a retry stores of a device, so that a retry of it compares again: what is known now, or what was known of the device
 * whose place another one has taken.
 * @returns null: nothing was known, so no retry may call it
 */
export function knownFor(before: FormerDevice | undefined, now: CurrentDevice): FormerDevice | null {
  return isSameDevice(before, now) ? now : (before ?? null);
}

/**
 * Whether a request holds what its views do not show: a body, or secrets in a query.
 * @param shownQuery a query without its secrets
 */
export function isHidden(input: FanOutInput, shownQuery: (query: string, path: string) => string): boolean {
  const requests = input.requests ?? [input.request!];
  return requests.some(({ path: raw, json }) => {
    const at = raw.indexOf('?');
    if (json !== undefined) return true;
    return at >= 0 && shownQuery(raw.slice(at + 1), raw.slice(0, at)) !== raw.slice(at + 1);
  });
}
