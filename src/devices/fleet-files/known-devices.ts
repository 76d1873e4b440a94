import { isDeepStrictEqual } from 'node:util';
import { type FleetLine } from './fleet-lines.js';
import { type DeviceRow, type KnownDevice } from './fleet.queries.js';
import { type ImportChange } from '../devices.contract.js';

/* The devices that the lines of an import meet, by what no two devices share. */

export const UNIQUE = ['name', 'baseUrl', 'spareUrl', 'serial', 'mac'] as const;
type UniqueField = (typeof UNIQUE)[number];

/** What must be unique among which values: an address is that of one device, as its base URL or its spare one. */
export const uniqueKey = (field: UniqueField, value: string): string =>
  `${field === 'spareUrl' ? 'baseUrl' : field} ${value}`;

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
        if (value !== null) this.byValue.set(uniqueKey(field, value), device);
      }
    }
  }

  /** The value of a line in its comparable form. */
  valueOf(field: UniqueField, row: Pick<DeviceRow, UniqueField>): string | null {
    return field === 'name' ? (this.lower.get(row.name) ?? row.name) : row[field];
  }

  with(field: UniqueField, value: string): KnownDevice | null {
    return this.byValue.get(uniqueKey(field, value)) ?? null;
  }

  /** The device of a line: by serial number, or else by name. */
  of({ input: { serial, name } }: FleetLine): KnownDevice | null {
    return (serial ? this.with('serial', serial) : null) ?? this.with('name', this.lower.get(name) ?? name);
  }
}

/* What a line of an import changes of a device that is known. Pure. */

const COMPARED = [
  'name',
  'baseUrl',
  'serial',
  'mac',
  'model',
  'site',
  'note',
  'sessions',
  'timeZone',
  'spareUrl',
] as const;

type FieldChange = ImportChange['fields'][number];

/**
 * The fields that differ, by their names in the API; of credentials the user name alone.
 * @param row of the device after the import
 */
export function changesOf(row: DeviceRow, existing: KnownDevice): FieldChange[] {
  const plain = COMPARED.map((field) => ({ field, before: existing[field], after: row[field] }));
  const custom = Object.keys({ ...existing.fields, ...row.fields }).map((key) => ({
    field: `fields.${key}`,
    before: existing.fields[key] ?? null,
    after: row.fields[key] ?? null,
  }));
  const all: FieldChange[] = [
    ...plain,
    { field: 'tags', before: existing.tags, after: row.tags },
    { field: 'pin', before: existing.trustPin, after: row.trustPin },
    ...custom,
  ];
  const changed = all.filter(({ before, after }) => !isDeepStrictEqual(before, after));
  if (!row.account && !row.forgets) return changed;
  return [...changed, { field: 'credentials', before: existing.username, after: row.account?.username ?? null }];
}
