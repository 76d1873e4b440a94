import { type FleetLine } from './fleet-lines.js';
import { type DeviceRow, type KnownDevice } from './fleet.queries.js';

/* The devices that the lines of an import meet, by what no two devices share. */

export const UNIQUE = ['name', 'baseUrl', 'serial', 'mac'] as const;
type Unique = (typeof UNIQUE)[number];

/** Existing devices, by each unique value. */
export class KnownDevices {
  private readonly byValue = new Map<string, KnownDevice>();

  constructor(
    devices: readonly KnownDevice[],
    private readonly lower: ReadonlyMap<string, string>,
  ) {
    for (const device of devices) {
      for (const field of UNIQUE) {
        const value = field === 'name' ? device.lowerName : device[field];
        if (value !== null) this.byValue.set(`${field} ${value}`, device);
      }
    }
  }

  /** The value of a line in its comparable form. */
  valueOf(field: Unique, row: Pick<DeviceRow, Unique>): string | null {
    return field === 'name' ? (this.lower.get(row.name) ?? row.name) : row[field];
  }

  with(field: Unique, value: string): KnownDevice | null {
    return this.byValue.get(`${field} ${value}`) ?? null;
  }

  /** The device of a line: by serial number, or else by name. */
  of({ input: { serial, name } }: FleetLine): KnownDevice | null {
    return (serial ? this.with('serial', serial) : null) ?? this.with('name', this.lower.get(name) ?? name);
  }
}
