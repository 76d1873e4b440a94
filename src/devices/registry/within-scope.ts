import { type DeviceScope } from '../../platform/actor.js';

/** The devices that a right reaches, as a condition for a query builder: `column in (…)`, with named parameters. */
export function withinScope(scope: DeviceScope, column: string, now: Date) {
  const values: unknown[] = [];
  const condition = scope(values, now).replaceAll(/\$(\d+)/g, ':scope$1');
  const parameters = Object.fromEntries(values.map((value, index) => [`scope${index + 1}`, value]));
  return { sql: `${column} in (select id from device where ${condition})`, parameters };
}
