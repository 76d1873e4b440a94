import { isStorable } from '../../database/storable.js';
import { isMarker } from '../../device-api/redaction-marker.js';

/* Which values of devices can be said by a template. Pure. */

export type Setting = string | string[];

/** Why an option of a section is left out. */
export type ReasonOfValues =
  'not_on_all' | 'secret' | 'not_text' | 'list_differs' | 'made_by_device' | 'no_field_value';

/** The longest value of a custom field. */
const FIELD_VALUE_MAX = 200;

/** A value as an item has it: devices write yes, no and numbers as text. null: it is no text and no list of texts. */
export function settingOf(value: unknown): Setting | null {
  if (typeof value === 'string') return value.includes('{{') || !isStorable(value) ? null : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(Number(value));
  if (!Array.isArray(value)) return null;
  const texts = value.map(settingOf);
  return texts.every((text) => typeof text === 'string') ? texts : null;
}

export const areEqual = (settings: readonly (Setting | null)[]): boolean =>
  settings.every((setting) => JSON.stringify(setting) === JSON.stringify(settings[0]));

/** @param values of one option, of each device; undefined: it has none */
export function reasonAgainst(values: readonly unknown[]): ReasonOfValues | null {
  if (values.includes(undefined)) return 'not_on_all';
  if (values.flat().some(isMarker)) return 'secret';
  const settings = values.map(settingOf);
  if (settings.includes(null)) return 'not_text';
  if (areEqual(settings)) return null;
  if (settings.some(Array.isArray)) return 'list_differs';
  const texts = settings as readonly string[];
  if (texts.some(isMadeByDevice)) return 'made_by_device';
  return texts.every(isFieldValue) ? null : 'no_field_value';
}

const isFieldValue = (text: string): boolean =>
  text !== '' && text === text.trim() && text.length <= FIELD_VALUE_MAX && !/[\p{Cc}\p{Cs}]/u.test(text);

/** Keys, fingerprints, hardware addresses and times: what differs from device to device because each made its own. */
const MADE_BY_DEVICE = [
  /^-----BEGIN /,
  /^[A-Za-z0-9+/_-]{40,}={0,2}$/, // a key of 30 bytes or more
  /^[0-9a-f]{32,}$/i,
  /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i, // MAC
  /^(?:[0-9a-f]{2}:){15,}[0-9a-f]{2}$/i, // fingerprint
  /^\d{10}(?:\d{3})?$/, // seconds or milliseconds since 1970
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/,
];

const isMadeByDevice = (text: string): boolean => MADE_BY_DEVICE.some((pattern) => pattern.test(text));
