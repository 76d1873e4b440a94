/*
 * Data usage: rows of `[seconds since 1970, received, sent]`, from the same sum as the counters of the modem. Counters of a
 * month begin at zero on its first day (UTC).
 */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';

const HOUR_S = 3600;
const DAY_S = 86_400;

/** Months that a device has counted before this one (chosen). */
const MONTHS = 11;

/** Longer questions get rows of days, and the longest answer has this many of them. */
const HOURLY_UNTIL_S = 2 * DAY_S;
const MAX_ROWS = 400;

/** The first second of a month. */
const monthOf = (at: number, back: number): number => {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1) / 1000;
};

const every = (from: number, to: number, stepS: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / stepS)) }, (_, index) => from + index * stepS);

/** Where the rows of an interval begin. */
const INTERVALS: Readonly<Record<string, (now: number) => number[]>> = {
  day: (now) => every(now - (now % DAY_S), now, HOUR_S),
  // The first day of 1970 was a Thursday, so weeks begin four days later.
  week: (now) => every(now - ((now - 4 * DAY_S) % (7 * DAY_S)), now, DAY_S),
  month: (now) => every(monthOf(now, 0), now, DAY_S),
  total: (now) => Array.from({ length: MONTHS + 1 }, (_, index) => monthOf(now, MONTHS - index)),
};

/** @param begins of the rows, in order; `end` ends the last one */
function rows(device: SimulatedDevice, begins: readonly number[], end: number): number[][] {
  return begins.map((from, index) => {
    const { rx, tx } = device.modem.bytesBetween(from, begins[index + 1] ?? end);
    return [from, rx, tx];
  });
}

function byInterval(device: SimulatedDevice, { params }: SimulatedRequest): SimulatedAnswer {
  const name = params['interval'] ?? '';
  const begins = Object.hasOwn(INTERVALS, name) ? INTERVALS[name] : undefined;
  if (!begins) throw new Refused(113, { source: 'interval', section: name });
  const now = device.clock.nowSeconds();
  return ok(rows(device, begins(now), now));
}

function secondsIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (!/^\d{1,10}$/.test(text)) throw new Refused(116, { source: name, value: text });
  return Number(text);
}

/** Rows of hours up to two days, and of days for more. */
function custom(device: SimulatedDevice, { query }: SimulatedRequest): SimulatedAnswer {
  const from = secondsIn(query, 'from');
  const to = Math.min(secondsIn(query, 'to'), device.clock.nowSeconds());
  const stepS = to - from <= HOURLY_UNTIL_S ? HOUR_S : DAY_S;
  if (to - from > MAX_ROWS * DAY_S) throw new Refused(116, { source: 'from', value: String(from) });
  return ok(rows(device, every(from, to, stepS), to));
}

export const DATA_USAGE_ROUTES: readonly Route[] = [
  onGet('/api/data_usage/custom/status', 'Mobile data between two instants', custom, {
    needs: 'modem',
    query: ['from', 'to'],
    codes: [116],
  }),
  onGet('/api/data_usage/{interval}/status', 'Mobile data by interval', byInterval, { needs: 'modem', codes: [113] }),
];
