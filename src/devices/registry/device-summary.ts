/*
 * Counts the devices of a condition by the values of some fields, in one statement. Devices choose their model and
 * firmware, so the number and the length of values are bounded. Pure.
 */

/** How each field of a summary is read from a row of `matched`. */
const VALUES: Readonly<Record<string, string>> = {
  state: 'state',
  model: 'left(model, 120)',
  firmware: 'left(firmware, 120)',
  operator: 'network_operator',
  site: 'site',
  tag: 'tag',
  profile: 'profile',
  trust: 'trust',
};

/** A custom field. Such a name is safe in SQL. */
const CUSTOM = /^field\.([a-z][a-z0-9_]{0,39})$/;

/** Fields of every installation, and how a custom one is named. */
export const SUMMARY_FIELDS = [...Object.keys(VALUES), 'field.<key>'].join(', ');

/** The values of a field that a summary lists; the most frequent ones. */
export const SUMMARY_VALUES_MAX = 200;

export interface SummaryRow {
  /** Null for the row of all devices. */
  readonly by: string | null;
  readonly value: string | null;
  readonly devices: number;
  /** Different values of the field, those that are not listed too. */
  readonly values: number;
}

export const isSummaryField = (name: string): boolean => Object.hasOwn(VALUES, name) || CUSTOM.test(name);

/**
 * @param by names for which `isSummaryField` is true
 * @returns SQL for a `SummaryRow` of each listed value, and one of all devices
 */
export function summarySql(condition: string, by: readonly string[]): string {
  const counts = by.map((field) => {
    const key = CUSTOM.exec(field)?.[1];
    const value = key === undefined ? VALUES[field] : `fields ->> '${key}'`;
    const each = field === 'tag' ? 'left join lateral unnest(tags) as tag on true' : '';
    return `select '${field}' as by, ${value} as value, count(*)::int as devices from matched ${each} group by 2`;
  });
  return `
    with matched as materialized (
      select state, model, firmware, network_operator, site, tags, profile, trust, fields from device where ${condition}
    ), counted as (
      select null as by, null as value, count(*)::int as devices from matched
      union all ${counts.join(' union all ')}
    ), ranked as (
      select *, row_number() over (partition by by order by devices desc, value) as place,
             count(*) over (partition by by)::int as values
        from counted
    )
    select by, value, devices, values from ranked where place <= ${SUMMARY_VALUES_MAX} order by by, place`;
}
