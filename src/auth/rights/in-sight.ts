import { type Rights } from './rights.js';

/**
 * SQL condition for the devices that the caller can see.
 * @param column with the device's id, as a uuid
 * @param values gets the condition's values
 */
export function inSight(rights: Rights, column: string, values: unknown[], now: Date): string {
  const scope = rights.scope('device.read');
  return scope === null ? 'true' : `${column} in (select device.id from device where ${scope(values, now)})`;
}
