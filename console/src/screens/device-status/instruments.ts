/*
 * What a device says of itself now, as values with a meaning. Devices choose their answers, so each value is checked: a
 * missing field, `N/A` and another type are no value. Pure.
 */

/** By the name of the reading: the `data` of its answer; absent where the device does not have it. */
export type Answers = Readonly<
  Partial<Record<'system' | 'usage' | 'modems' | 'interfaces' | 'position' | 'month' | 'leases', unknown>>
>;

export interface Signal {
  /** Of four. */
  readonly bars: number;
  readonly word: string;
  readonly dbm: number;
  readonly of: 'RSRP' | 'RSSI';
  readonly rsrq: number | null;
  readonly sinr: number | null;
}

export interface Mobile {
  readonly operator: string | null;
  readonly type: string | null;
  readonly band: string | null;
  readonly state: string | null;
  readonly simCount: number;
  readonly activeSim: number | null;
  readonly simState: string | null;
}

export interface Store {
  readonly usedPercent: number;
  readonly totalMiB: number | null;
}

export interface Jack {
  readonly name: string;
  /** null: the device does not say it. */
  readonly isUp: boolean | null;
  /** Whether the device has no other way out than this one, which has no link. */
  readonly isFault: boolean;
}

export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly satellites: number | null;
}

export interface Instruments {
  readonly signal: Signal | null;
  readonly mobile: Mobile | null;
  readonly memory: Store | null;
  readonly flash: Store | null;
  readonly load: { readonly min1: number; readonly cores: number | null } | null;
  readonly uptimeSeconds: number | null;
  readonly temperature: number | null;
  readonly jacks: readonly Jack[];
  /** Whether the device has a receiver, and where it is; null where it has none. */
  readonly position: Position | 'no fix' | null;
  /** Bytes in both directions. */
  readonly dataMonth: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

const JACKS_MAX = 32;

export function instrumentsOf(answers: Answers): Instruments {
  const modems = listOf(answers.modems);
  const modem = modems.find((one) => one['primary'] === true) ?? modems[0];
  const usage = fieldsOf(answers.usage);
  const memory = fieldsOf(usage['memory']);
  const min1 = numberOf(fieldsOf(usage['load'])['min1']);
  return {
    signal: modem ? signalOf(modem) : null,
    mobile: modem ? mobileOf(modem) : null,
    memory: storeOf(memory, 'ram'),
    flash: storeOf(memory, 'flash'),
    load: min1 === null ? null : { min1, cores: numberOf(fieldsOf(fieldsOf(answers.system)['static'])['cpu_count']) },
    uptimeSeconds: numberOf(usage['uptime_seconds']),
    temperature: modem ? celsiusOf(modem['temperature']) : null,
    jacks: jacksOf(answers),
    position: positionOf(answers.position),
    dataMonth: bytesOf(answers.month),
  };
}

/** From the least value of each bar: excellent, good, fair, weak. */
const STEPS = { RSRP: [-80, -90, -100, -110], RSSI: [-65, -75, -85, -95] } as const;
const WORDS = ['no service', 'weak', 'fair', 'good', 'excellent'] as const;

/** Of an RSRP. */
export const signalWord = (dbm: number): string => WORDS[STEPS.RSRP.filter((least) => dbm >= least).length] ?? 'weak';

function signalOf(modem: Fields): Signal | null {
  const [rsrp, rssi] = [dbmOf(modem['rsrp']), dbmOf(modem['rssi']) ?? dbmOf(modem['signal'])];
  const of = rsrp === null ? 'RSSI' : 'RSRP';
  const dbm = rsrp ?? rssi;
  if (dbm === null) return null;
  const bars = STEPS[of].filter((least) => dbm >= least).length;
  return { bars, word: WORDS[bars] ?? 'weak', dbm, of, rsrq: dbmOf(modem['rsrq']), sinr: dbmOf(modem['sinr']) };
}

const mobileOf = (modem: Fields): Mobile => ({
  operator: textOf(modem['operator']) ?? textOf(modem['oper']),
  type: textOf(modem['conntype']),
  band: textOf(modem['band']),
  state: textOf(modem['data_conn_state']) ?? textOf(modem['state']),
  simCount: Math.min(4, numberOf(modem['sim_count']) ?? 1),
  activeSim: numberOf(modem['active_sim']),
  simState: textOf(modem['simstate']),
});

function storeOf(memory: Fields, kind: 'ram' | 'flash'): Store | null {
  const [free, total] = [numberOf(memory[`${kind}_free`]), numberOf(memory[`${kind}_total`])];
  const percent = free !== null && total ? (1 - free / total) * 100 : numberOf(memory[`${kind}_percentage`]);
  return percent === null || percent < 0 || percent > 100 ? null : { usedPercent: percent, totalMiB: total };
}

/** The sockets as the device lists them. Which one has a link, it says of the outer one alone, by its interface. */
function jacksOf({ system, interfaces }: Answers): Jack[] {
  const isOuter = (one: Fields) => one['area_type'] === 'wan' && one['network_type'] !== 'mobile';
  const outer = listOf(interfaces).filter(isOuter);
  const isUp = (one: Fields) => one['is_up'] === true || one['up'] === true;
  const isWanUp = outer.length === 0 ? null : outer.some(isUp);
  const hasOtherWay = listOf(interfaces).some((one) => one['network_type'] === 'mobile' && isUp(one));
  const ports = listOf(fieldsOf(system)['ports']).slice(0, JACKS_MAX);
  return ports.map((port, index) => {
    const name = textOf(port['name']) ?? 'Port';
    const isWan = name.toUpperCase().startsWith('WAN');
    const label = isWan ? name : `${name} ${numberOf(port['position']) ?? index + 1}`;
    return { name: label, isUp: isWan ? isWanUp : null, isFault: isWan && isWanUp === false && !hasOtherWay };
  });
}

function positionOf(data: unknown): Instruments['position'] {
  if (data === undefined) return null;
  const place = fieldsOf(data);
  const [latitude, longitude] = [numberOf(place['latitude']), numberOf(place['longitude'])];
  const isNone = String(place['fix_status']) === '0' || (latitude === 0 && longitude === 0);
  if (isNone || latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    return 'no fix';
  return { latitude, longitude, satellites: numberOf(place['satellites']) };
}

/** Rows are `[seconds, received, sent]`. */
function bytesOf(data: unknown): number | null {
  if (!Array.isArray(data)) return null;
  const sums = (data as unknown[]).map((row) => {
    const [, received, sent] = Array.isArray(row) ? (row as unknown[]) : [];
    return (numberOf(received) ?? 0) + (numberOf(sent) ?? 0);
  });
  return sums.reduce((sum, one) => sum + one, 0);
}

/** Some firmware writes numbers as texts. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

const dbmOf = (value: unknown): number | null => within(numberOf(value), 200);
const celsiusOf = (value: unknown): number | null => within(numberOf(value), 300);
const within = (value: number | null, most: number) => (value !== null && Math.abs(value) <= most ? value : null);

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? value.slice(0, 64).trim() : '';
  return text === '' || text === 'N/A' ? null : text;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, 64).map(fieldsOf) : []);

/** The two largest units, such as `12 days 4 hours`. */
export function uptimeText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor((seconds % 86_400) / 3_600), 'hour'],
    [Math.floor((seconds % 3_600) / 60), 'minute'],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  if (from < 0) return 'less than a minute';
  const words = parts.slice(from, from + 2).filter(([count]) => count > 0);
  return words.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' ');
}
