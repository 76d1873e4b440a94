import { type ItemAnswer } from '../../device-api/bulk.js';
import { type ExtraMetric, pathForRights, SAMPLE_PATHS } from './sample-request.js';

/*
 * From the answers of one bulk request to the values of a sample. `N/A`, a missing field, another type and a refused item are
 * no value (null), never zero. Devices choose the answers, so they are hostile: each number has bounds. Pure.
 */

/** Rows of a list that are looked at: real devices have two modems and about ten interfaces. */
const MODEMS_MAX = 8;
const INTERFACES_MAX = 32;

const TEXT_MAX = 64;

/** Beyond any signal, temperature or load; a column of the sample holds it. */
const GAUGE_MAX = 1e6;

/** Less is zero: a column of the sample does not hold 1e-300. */
const GAUGE_MIN = 1e-6;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Values of a modem are those of the primary one. Memory and flash are in percent, and mobile data is of both directions in the day and
 * the month of the router's clock.
 * @param answers of the items at `paths`, in their order
 */
export function sampleValues(paths: readonly string[], answers: readonly ItemAnswer[], extra: readonly ExtraMetric[]) {
  const dataAt = (path: string): unknown => {
    const answer = answers[paths.indexOf(path)];
    return answer?.success === true ? answer.data : undefined;
  };
  const { modems, primary } = modemsIn(dataAt(SAMPLE_PATHS.modems));
  return {
    ...primary,
    ...usageIn(dataAt(SAMPLE_PATHS.usage)),
    ...positionIn(dataAt(SAMPLE_PATHS.position)),
    dataDay: sumOfRows(dataAt(SAMPLE_PATHS.dataOfDay)),
    dataMonth: sumOfRows(dataAt(SAMPLE_PATHS.dataOfMonth)),
    modems,
    interfaces: interfacesIn(dataAt(SAMPLE_PATHS.interfaces)),
    extra: Object.fromEntries(
      extra.flatMap(({ name, path, pointer }) => {
        const value = numberOf(valueAt(dataAt(path), pointer));
        return value === null ? [] : [[name, { path: pathForRights(path), value }] as const];
      }),
    ),
  };
}
export type SampleValues = ReturnType<typeof sampleValues>;

function modemsIn(data: unknown) {
  const records = recordsIn(data).slice(0, MODEMS_MAX);
  const modems = records.map(modemValues);
  const at = records.findIndex((record) => record['primary'] === true);
  const { id: _id, rxBytes: _rx, txBytes: _tx, ...primary } = modems[Math.max(0, at)] ?? modemValues({});
  return { modems, primary };
}

/** A modem that does not answer has a record without these fields. */
function modemValues(record: Fields) {
  return {
    id: textOf(record['id']),
    // The oldest firmware has `signal` alone, with the same value.
    rssi: gaugeOf(record['rssi']) ?? gaugeOf(record['signal']),
    rsrp: gaugeOf(record['rsrp']),
    rsrq: gaugeOf(record['rsrq']),
    sinr: gaugeOf(record['sinr']),
    temperature: gaugeOf(record['temperature']),
    operator: textOf(record['operator']) ?? textOf(record['oper']),
    connectionType: textOf(record['conntype']),
    activeSim: smallOf(record['active_sim']),
    rxBytes: countOf(record['rxbytes']),
    txBytes: countOf(record['txbytes']),
  };
}

function interfacesIn(data: unknown) {
  return recordsIn(data)
    .slice(0, INTERFACES_MAX)
    .flatMap((record) => {
      const name = textOf(record['name']) ?? textOf(record['id']);
      if (name === null) return [];
      const up = [record['up'], record['is_up']].find((value) => typeof value === 'boolean') ?? null;
      return [{ name, up, rxBytes: countOf(record['rx_bytes']), txBytes: countOf(record['tx_bytes']) }];
    });
}

function usageIn(data: unknown) {
  const usage = recordOf(data);
  const memory = recordOf(usage['memory']);
  const load = recordOf(usage['load']);
  return {
    uptimeSeconds: countOf(usage['uptime_seconds']),
    memoryFree: freeOf(memory, 'ram'),
    flashFree: freeOf(memory, 'flash'),
    load1: gaugeOf(load['min1']),
    load5: gaugeOf(load['min5']),
  };
}

/** From sizes, since the percentage that some firmware has is rounded. */
function freeOf(memory: Fields, kind: 'ram' | 'flash'): number | null {
  const [free, total] = [numberOf(memory[`${kind}_free`]), numberOf(memory[`${kind}_total`])];
  const used = numberOf(memory[`${kind}_percentage`]);
  const percent =
    free !== null && total !== null && total > 0 ? (free / total) * 100 : used === null ? null : 100 - used;
  return percent !== null && percent >= 0 && percent <= 100 ? gaugeOf(percent) : null;
}

/** A receiver without a fix answers zero coordinates. */
function positionIn(data: unknown) {
  const place = recordOf(data);
  const [latitude, longitude] = [numberOf(place['latitude']), numberOf(place['longitude'])];
  const isNone = String(place['fix_status']) === '0' || (latitude === 0 && longitude === 0);
  if (isNone || latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    return { latitude: null, longitude: null };
  return { latitude, longitude };
}

/** Rows are `[seconds, received, sent]`. An empty list is an interval without data; short rows are left out. */
function sumOfRows(data: unknown): number | null {
  if (!Array.isArray(data)) return null;
  const sums = (data as unknown[]).flatMap((row) => {
    const [, received, sent] = Array.isArray(row) ? (row as unknown[]) : [];
    const [rx, tx] = [countOf(received), countOf(sent)];
    return rx === null || tx === null ? [] : [rx + tx];
  });
  if (data.length > 0 && sums.length === 0) return null;
  return countOf(sums.reduce((sum, one) => sum + one, 0));
}

/** The value at a JSON pointer (RFC 6901). */
function valueAt(data: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1);
  return parts.reduce<unknown>((value, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Fields)[key]
      : undefined;
  }, data);
}

/** Some firmware writes numbers as texts. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d{1,20}(?:\.\d{1,20})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function gaugeOf(value: unknown): number | null {
  const number = numberOf(value);
  if (number === null || Math.abs(number) > GAUGE_MAX) return null;
  return Math.abs(number) < GAUGE_MIN ? 0 : number;
}

function countOf(value: unknown): number | null {
  const number = Math.round(numberOf(value) ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function smallOf(value: unknown): number | null {
  const count = countOf(value);
  return count !== null && count <= 100 ? count : null;
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, TEXT_MAX)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return text === '' || text === 'N/A' ? null : text;
}

const recordOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const recordsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(recordOf) : []);
