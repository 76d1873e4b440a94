import { type Rights } from './rights.js';

/** SQL for the devices that the caller can see, by the uuid in `column`; adds its values to `values`. */
export function inSight(rights: Rights, column: string, values: unknown[], now: Date): string {
  const scope = rights.scope('device.read');
  return scope === null ? 'true' : `${column} in (select device.id from device where ${scope(values, now)})`;
}
