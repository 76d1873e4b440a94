import { isDeepStrictEqual } from 'node:util';
import { type ImportChange } from '../devices.contract.js';
import { type DeviceRow, type KnownDevice } from './fleet.queries.js';

/* What a line of an import changes of a device that is known. Pure. */

const COMPARED = ['name', 'baseUrl', 'serial', 'mac', 'model', 'site', 'note', 'sessions', 'timeZone'] as const;

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
