/*
 * Data usage: rows of `[seconds since 1970, received, sent]`, from the same sum as the counters of the modem. Counters of a
 * month begin at zero on its first day (UTC).
 */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { isNewerFirmware } from '../../device/families.js';
import { onGet, onPost, type Route, alike } from '../../http/route.js';
import { modemViewsOf } from '../modem-views.js';
import { sectionsOf } from '../sections.js';

const HOUR_S = 3600;
const DAY_S = 86_400;

/** Months that a device has counted before this one (chosen). */
const MONTHS = 11;

/** Longer questions get rows of days, and the longest answer has this many of them. */
const HOURLY_UNTIL_S = 2 * DAY_S;
const MAX_ROWS = 400;

/** The first firmware that says the counter of a data limit as text; where in between it changed is not known. */
const TEXT_COUNTER = '07.25.0';

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
  if (!begins) throw new DeviceRefusal(113, { source: 'interval', section: name });
  const now = device.clock.nowSeconds();
  return ok(rows(device, begins(now), now));
}

function secondsIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (!/^\d{1,10}$/.test(text)) throw new DeviceRefusal(116, { source: name, value: text });
  return Number(text);
}

/** Rows of hours up to two days, and of days for more. */
function custom(device: SimulatedDevice, { query }: SimulatedRequest): SimulatedAnswer {
  const from = secondsIn(query, 'from');
  const to = Math.min(secondsIn(query, 'to'), device.clock.nowSeconds());
  const stepS = to - from <= HOURLY_UNTIL_S ? HOUR_S : DAY_S;
  if (to - from > MAX_ROWS * DAY_S) throw new DeviceRefusal(116, { source: 'from', value: String(from) });
  return ok(rows(device, every(from, to, stepS), to));
}

/** One row for each mobile interface: no limit is set, and the month is counted. */
function limits(device: SimulatedDevice): SimulatedAnswer {
  const now = device.clock.nowSeconds();
  const from = Math.max(monthOf(now, 0), device.modem.limitsClearedAt);
  const mobile = sectionsOf(device, 'interfaces').filter(({ proto }) => proto === 'wwan');
  return ok(
    mobile.map(({ id, sim, modem: modemId }) => {
      const { modem } = modemViewsOf(device).find(({ family }) => family.modem.id === modemId) ?? device;
      const { rx, tx } = modem.bytesOf(sim === '2' ? 2 : 1, from, now);
      return {
        id,
        interface: id,
        enabled: '0',
        data_limit: 0,
        data_used: isNewerFirmware(TEXT_COUNTER, device.firmware.version) ? rx + tx : String(rx + tx),
        data_warning_enabled: '0',
        data_warning_limit: 0,
        due_reset_time: '0',
      };
    }),
  );
}

function clearLimits(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  device.modem.limitsClearedAt = device.clock.nowSeconds();
  device.did(request.entry, 'update', 'data_limit');
  return ok(undefined);
}

export const DATA_USAGE_ROUTES: readonly Route[] = alike({ needs: 'modem' }, [
  onGet('/api/data_usage/custom/status', 'Mobile data between two instants', custom, {
    query: ['from', 'to'],
    codes: [116],
  }),
  onGet('/api/data_limit/status', 'How much of their limit of data the mobile interfaces used', limits),
  onPost('/api/data_limit/actions/clear', 'Counts from zero again', clearLimits, { effect: 'update' }),
  onGet('/api/data_usage/{interval}/status', 'Mobile data by interval', byInterval, { codes: [113] }),
]);
