/*
 * The usual conditions of rules: a value, a comparison and a number, as the one term of a selector that is no choice of devices,
 * such as `rsrp<-110 & site:riga/*`. Another selector is edited as text. Pure.
 */
import { pickedTerms } from '../../../ui/devices/choice/picked-devices.js';

type Sign = '<' | '>';

export interface Measure {
  /** What the selector has for it: a field, or the whole term, where it needs no number. */
  readonly key: string;
  readonly text: string;
  /** Absent: it needs no number. */
  readonly number?: {
    readonly signs: readonly (readonly [Sign, string])[];
    /** What stands after the number in the selector, and for people. */
    readonly units: readonly (readonly [string, string])[];
    readonly first: string;
    /** How much better a value is before the alert closes; absent: none, since it does not swing. */
    readonly margin?: number;
  };
}

const LEVEL = [
  ['<', 'is below'],
  ['>', 'is above'],
] as const;
const ABOVE = [LEVEL[1], LEVEL[0]] as const;
const AGES = [
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
] as const;
const SIZES = [
  ['MB', 'MB'],
  ['GB', 'GB'],
] as const;
const PERCENT = [['', '%']] as const;
const OLDER = [['>', 'is older than']] as const;

export const MEASURES: readonly Measure[] = [
  { key: 'state:offline', text: 'Offline' },
  {
    key: 'rsrp',
    text: 'Signal (RSRP)',
    number: { signs: LEVEL, units: [['', 'dBm']], first: '-110', margin: 5 },
  },
  { key: 'sinr', text: 'Signal to noise (SINR)', number: { signs: LEVEL, units: [['', 'dB']], first: '0', margin: 3 } },
  {
    key: 'temperature',
    text: 'Temperature',
    number: { signs: ABOVE, units: [['', '°C']], first: '70', margin: 5 },
  },
  { key: 'memory.free', text: 'Free memory', number: { signs: LEVEL, units: PERCENT, first: '10', margin: 5 } },
  { key: 'flash.free', text: 'Free flash', number: { signs: LEVEL, units: PERCENT, first: '10', margin: 5 } },
  { key: 'load', text: 'Load of one minute', number: { signs: ABOVE, units: [['', '']], first: '4', margin: 1 } },
  { key: 'data.month', text: 'Data of the month', number: { signs: ABOVE, units: SIZES, first: '500MB' } },
  { key: 'data.plan', text: 'Data plan used', number: { signs: ABOVE, units: PERCENT, first: '80' } },
  { key: 'sample', text: 'Latest sample', number: { signs: OLDER, units: AGES, first: '30m' } },
  { key: 'backup', text: 'Latest backup', number: { signs: OLDER, units: AGES, first: '26h' } },
  { key: 'backup:none', text: 'No backup' },
  { key: 'certificate', text: 'Certificate', number: { signs: [['<', 'ends within']], units: AGES, first: '30d' } },
  { key: 'state:trust_changed', text: 'Certificate changed' },
  { key: 'state:credentials_refused', text: 'Password refused' },
  {
    key: 'observed.changed',
    text: 'Configuration',
    number: { signs: [['<', 'changed within']], units: AGES, first: '1d' },
  },
];

export interface Condition {
  readonly measure: Measure;
  readonly sign: Sign;
  /** As it is typed. */
  readonly number: string;
  readonly unit: string;
}

export interface RuleParts {
  /** null: none is chosen yet. */
  readonly condition: Condition | null;
  /** Which devices it is about; empty: all. */
  readonly devices: string;
}

/** The parts of a selector; null: it says more than these. */
export function partsOf(selector: string): RuleParts | null {
  const text = selector.trim();
  const [first = '', ...others] = text.split(' & ');
  const condition = conditionOf(first);
  const devices = condition ? others.join(' & ') : text;
  return pickedTerms(devices) === null ? null : { condition, devices };
}

export const selectorOf = ({ condition, devices }: RuleParts): string => {
  const term = condition && termOf(condition);
  if (!term || devices === '') return term ?? devices;
  const [first, ...others] = pickedTerms(devices) ?? [];
  const isOpen = others.length === 0 && first && first.length > 1 && !devices.startsWith('(');
  return `${term} & ${isOpen ? `(${devices})` : devices}`;
};

/** A condition as it begins, when a person chooses what it is about. */
export function firstOf(key: string): Condition | null {
  const measure = MEASURES.find((one) => one.key === key);
  if (!measure) return null;
  if (!measure.number) return { measure, sign: '<', number: '', unit: '' };
  return conditionOf(measure.key + measure.number.signs[0]![0] + measure.number.first);
}

/** When it is over, with a margin: a value near its limit would open and close the alert again and again. Empty: without one. */
export function clearOf(selector: string): string {
  const condition = partsOf(selector)?.condition;
  const number = condition?.measure.number;
  if (!condition || !number?.margin || !isNumber(condition.number)) return '';
  const [back, by] = condition.sign === '<' ? ['>' as const, number.margin] : ['<' as const, -number.margin];
  return termOf({ ...condition, sign: back, number: String(Number(condition.number) + by) });
}

/** Whether the number of a condition can be read. */
export const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);

const termOf = ({ measure, sign, number, unit }: Condition): string =>
  measure.number ? `${measure.key}${sign}${number}${unit}` : measure.key;

function conditionOf(term: string): Condition | null {
  for (const measure of MEASURES) {
    if (term === measure.key) return measure.number ? null : { measure, sign: '<', number: '', unit: '' };
    const sign = measure.number?.signs.find(([one]) => term.startsWith(measure.key + one))?.[0];
    if (!measure.number || !sign) continue;
    const value = term.slice(measure.key.length + 1);
    const unit = measure.number.units.find(([one]) => value.endsWith(one))?.[0];
    const number = value.slice(0, value.length - (unit?.length ?? 0));
    return unit === undefined || /[\s()|=<>]/.test(number) ? null : { measure, sign, number, unit };
  }
  return null;
}
