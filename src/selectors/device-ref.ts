import { z } from 'zod';
import { canonicalMac } from '../device-api/mac.js';
import { AppError } from '../platform/errors.js';

/** References to a device in an address: its id, or a prefix with name, serial number or MAC. */
export const DEVICE_REF =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:name|serial|mac):[^\p{Cc}\p{Cs}]{1,120})$/iu;

export const deviceRef = z
  .string()
  .regex(DEVICE_REF, 'a device id, name:…, serial:… or mac:…')
  .describe('The device: its id, `name:…`, `serial:…` or `mac:…`');

export interface RefCondition {
  readonly column: 'id' | 'lower(name)' | 'serial' | 'mac';
  readonly value: string;
}

/** Postgres converts to lower case, as in its index: it differs from JavaScript for some letters. */
export function refSql({ column }: RefCondition, value: string): string {
  return column === 'lower(name)' ? `lower(device.name) = lower(${value})` : `device.${column} = ${value}`;
}

/** @throws AppError `invalid_input` when it has none of the forms */
export function parseRef(ref: string): RefCondition {
  if (!DEVICE_REF.test(ref)) {
    throw new AppError('invalid_input', {
      errors: [{ pointer: '/path/ref', detail: 'a device id, name:…, serial:… or mac:…' }],
    });
  }
  const cut = ref.indexOf(':');
  const value = ref.slice(cut + 1);
  switch (cut < 0 ? 'id' : ref.slice(0, cut).toLowerCase()) {
    case 'name':
      return { column: 'lower(name)', value };
    case 'serial':
      return { column: 'serial', value };
    case 'mac':
      return { column: 'mac', value: canonicalMac(value) ?? value.toLowerCase() };
    default:
      return { column: 'id', value: ref.toLowerCase() };
  }
}
