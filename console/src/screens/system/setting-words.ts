import { bytesText, countText, numberText } from '../../api/amount-text.js';

/* A setting as a person reads it: what it is about, what else is to know, and its value with a unit. Pure. */

/** The first clause of a description, and the rest as a sentence of its own. */
export function settingText(description: string): readonly [about: string, more: string] {
  const at = description.search(/[;:.] /);
  if (at < 0) return [description, ''];
  const rest = description.slice(at + 2).trim();
  return [description.slice(0, at), rest.charAt(0).toUpperCase() + rest.slice(1)];
}

/** The units that names of settings end with. */
const UNITS: Readonly<Record<string, string>> = { SECONDS: 'second', MINUTES: 'minute', HOURS: 'hour', DAYS: 'day' };

const ON_OR_OFF: Readonly<Record<string, string>> = { true: 'On', false: 'Off' };

/** @param value as the process has it, such as `1048576` */
export function settingValue(name: string, value: string): string {
  if (Object.hasOwn(ON_OR_OFF, value)) return ON_OR_OFF[value]!;
  if (!/^\d{1,15}$/.test(value)) return value;
  const amount = Number(value);
  const last = name.slice(name.lastIndexOf('_') + 1);
  if (last === 'BYTES') return bytesText(amount);
  const unit = Object.hasOwn(UNITS, last) ? UNITS[last] : undefined;
  if (unit) return countText(amount, unit);
  return name.startsWith('RATE_LIMIT_') ? numberText(amount) : value;
}
