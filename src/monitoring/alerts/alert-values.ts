import { type DataSource } from 'typeorm';
import { type Rights } from '../../auth/rights/rights.js';
import { type MeasureName, scopeOfMeasure, valueOfMeasure } from '../../selectors/measures.js';
import { parseSelector } from '../../selectors/selector.js';
import { termsOf } from '../../selectors/selector-expansion.js';

/*
 * What the rule of an alert compares, as it is now: a list says why an alert is open. Of a sample it is the latest
 * one; the rest of a certificate and the age of a backup are counted from now.
 */

export interface AlertValue {
  readonly name: MeasureName;
  readonly value: number;
}

interface Asked {
  readonly id: string;
  readonly deviceId: string;
  /** The selector of the rule. */
  readonly selector: string;
}

/** The values that a selector names itself; those of saved selectors in it are left out. */
function measuresOf(selector: string): MeasureName[] {
  const names = termsOf(parseSelector(selector, true)).flatMap((term) => (term.is === 'measure' ? term.name : []));
  return [...new Set(names)].filter((name) => valueOfMeasure(name, () => '') !== null);
}

/** By the id of the alert. One statement for each value that any of the rules names: these are few. */
export async function alertValues(
  db: Pick<DataSource, 'query'>,
  alerts: readonly Asked[],
  rights: Rights,
  now: Date,
): Promise<ReadonlyMap<string, readonly AlertValue[]>> {
  const measures = new Map(alerts.map(({ id, selector }) => [id, measuresOf(selector)]));
  const found = new Map(alerts.map(({ id }) => [id, [] as AlertValue[]]));
  for (const name of new Set([...measures.values()].flat())) {
    const asked = alerts.filter(({ id }) => measures.get(id)!.includes(name));
    const values: unknown[] = [asked.map(({ deviceId }) => deviceId)];
    const scope = scopeOfMeasure(name, rights)?.(values, now) ?? 'true';
    const measured = valueOfMeasure(name, () => `$${values.push(now)}::timestamptz`)!;
    const rows = await db.query<{ id: string; value: number }[]>(
      `select * from (select device.id, ${measured}::float8 as value
                        from device left join device_sample sample on sample.device_id = device.id
                       where device.id = any ($1::uuid[]) and ${scope}) measured
        where value is not null`,
      values,
    );
    const byDevice = new Map(rows.map(({ id, value }) => [id, value]));
    for (const { id, deviceId } of asked) {
      const value = byDevice.get(deviceId);
      if (value !== undefined) found.get(id)!.push({ name, value });
    }
  }
  return found;
}
