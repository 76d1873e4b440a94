/*
 * Times on the clock of this terminal. The zone is said once, at the first of them; a time on the other side of a change of the
 * clock, such as one of last summer, says its own.
 */

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const MINUTE_MS = 60_000;
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [24 * 60 * MINUTE_MS, 'd'],
  [60 * MINUTE_MS, 'h'],
  [MINUTE_MS, 'min'],
  [1_000, 's'],
];

export const isTime = (value: unknown): value is string => typeof value === 'string' && TIME.test(value);

/** Whether a value is a time, or a list that begins with one. */
export const hasTime = (value: unknown): boolean => isTime(value) || (Array.isArray(value) && isTime(value[0]));

/** `UTC` or `+02:00`. */
export function zoneAt(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-26 16:04:05`; where the zone is not that of now, with it. */
export function localTime(time: string, now: number): string {
  const at = Date.parse(time);
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString();
  const zone = zoneAt(at);
  return `${local.slice(0, 10)} ${local.slice(11, 19)}${zone === zoneAt(now) ? '' : ` ${zone}`}`;
}

/** The same, shorter: `16:04:05` of today, `2026-11-25 16:04` of another day. */
export function shortTime(time: string, now: number): string {
  const full = localTime(time, now);
  if (full.length > 19) return full;
  return full.slice(0, 10) === localTime(new Date(now).toISOString(), now).slice(0, 10)
    ? full.slice(11)
    : full.slice(0, 16);
}

/** Such as `3 h ago` or `in 2 d`. */
export function distanceTo(time: string, now: number): string {
  const at = Date.parse(time);
  const ms = Math.abs(now - at);
  const [size, name] = UNITS.find(([unit]) => ms >= unit) ?? UNITS.at(-1)!;
  const text = `${Math.floor(ms / size)} ${name}`;
  return at > now ? `in ${text}` : `${text} ago`;
}
