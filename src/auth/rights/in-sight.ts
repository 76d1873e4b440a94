import { type Rights } from './rights.js';

/**
 * A condition for the devices that a caller sees.
 * @param column of the id of the device, as a uuid
 * @param values gets what the condition needs
 */
export function inSight(rights: Rights, column: string, values: unknown[], now: Date): string {
  const scope = rights.scope('device.read');
  return scope === null ? 'true' : `${column} in (select device.id from device where ${scope(values, now)})`;
}
