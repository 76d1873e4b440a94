import ipaddr from 'ipaddr.js';
import { canonicalMac } from '../../device-api/mac.js';
import { canonical, isSame } from '../../jobs/kind-api/intended-items.js';

/*
 * Values that a device writes in its own form: addresses, MAC addresses, and lists that it sorts. What is equal in this form is
 * no difference to close; it is shown, since the form of the device may be taken into the template. Pure.
 */

export type Likeness = 'same' | 'normalised' | 'different';

/** How a value on a device is like the one that is wanted. */
export function likenessOf(wanted: unknown, seen: unknown): Likeness {
  if (isSame(wanted, seen)) return 'same';
  const [one, other] = [normalForm(wanted), normalForm(seen)];
  if (isSame(one, other)) return 'normalised';
  if (!isListOfTexts(one) || !isListOfTexts(other)) return 'different';
  return isInOrder(other) && isSame(one.toSorted(byText), other.toSorted(byText)) ? 'normalised' : 'different';
}

/** A value in one spelling. The order of a list stays: it may have a meaning. */
function normalForm(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return spelling(String(Number(value)));
  if (typeof value === 'string') return spelling(value);
  return Array.isArray(value) ? value.map(normalForm) : value;
}

/** One text for keys whose fields are equal in normal form. */
export function keyText(key: Readonly<Record<string, string>>): string {
  return canonical(Object.fromEntries(Object.entries(key).map(([field, value]) => [field, normalForm(value)])));
}

/** The name of what can differ, the same on each device. */
export const nameOf = ({ path, key, option }: SettingName): string => JSON.stringify([path, keyText(key), option]);

interface SettingName {
  readonly path: string;
  readonly key: Readonly<Record<string, string>>;
  /** null: the section itself. */
  readonly option: string | null;
}

function spelling(text: string): string {
  const trimmed = text.trim();
  return addressOf(trimmed) ?? (/[:.-]/.test(trimmed) ? canonicalMac(trimmed) : null) ?? text;
}

/** An address with or without a prefix: `2001:DB8:0::1/64`. An IPv4 address has four parts, as devices write them. */
function addressOf(text: string): string | null {
  const [address = '', prefix, ...more] = text.split('/');
  if (more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return null;
  const plain = ipaddr.IPv6.parse(address).toString();
  return prefix === undefined ? plain : `${plain}/${Number(prefix)}`;
}

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Whether a device may have sorted a list, by text or by number. In any other order it is the order of a person. */
function isInOrder(list: readonly string[]): boolean {
  const isSorted = (before: (one: string, other: string) => number) =>
    list.every((item, index) => index === 0 || before(list[index - 1]!, item) <= 0);
  return isSorted(byText) || isSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
