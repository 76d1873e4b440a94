import { UsageError } from '../exit-codes.js';

/* Instants as people write them: `7d`, a day or a minute of this terminal's clock, or an instant of ISO 8601. */

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const DISTANCE = /^(\d{1,6})([smhdw])$/;
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/;
const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * The instant that a person means, as the API takes it.
 * @param flag for errors
 * @throws UsageError when it is none
 */
export function readInstant(flag: string, written: string, direction: -1 | 1, now: number): string {
  const [, count, unit] = DISTANCE.exec(written) ?? [];
  if (count !== undefined) return new Date(now + direction * Number(count) * UNITS_MS[unit!]!).toISOString();
  if (WITH_ZONE.test(written) && !Number.isNaN(Date.parse(written))) return written;
  const [, day, time = '00:00'] = LOCAL.exec(written) ?? [];
  const at = new Date(`${day}T${time}`); // without a zone: in that of this machine
  if (day === undefined || at.getDate() !== Number(day.slice(-2)))
    throw new UsageError(
      `${flag} is a distance such as 90m, 24h or 7d, a day such as 2026-11-26, or an instant such as 2026-11-26T16:04:00Z`,
    );
  return at.toISOString();
}
