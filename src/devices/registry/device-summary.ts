/*
 * Counts the devices of a condition by the values of some fields, in one statement. Devices choose their model and
 * firmware, so the number and the length of values are bounded. Pure.
 */

/** How each field of a summary is read from a row of `matched`. */
const VALUES = {
  state: 'state',
  model: 'left(model, 120)',
  firmware: 'left(firmware, 120)',
  site: 'site',
  tag: 'tag',
  profile: 'profile',
  trust: 'trust',
} as const;

export type SummaryField = keyof typeof VALUES;
export const SUMMARY_FIELDS = Object.keys(VALUES) as SummaryField[];

/** The values of a field that a summary lists; the most frequent ones. */
export const SUMMARY_VALUES_MAX = 200;

export interface SummaryRow {
  /** Null for the row of all devices. */
  readonly by: SummaryField | null;
  readonly value: string | null;
  readonly devices: number;
  /** Different values of the field, those that are not listed too. */
  readonly values: number;
}

/** @returns SQL for a `SummaryRow` of each listed value, and one of all devices */
export function summarySql(condition: string, by: readonly SummaryField[]): string {
  const counts = by.map((field) => {
    const each = field === 'tag' ? 'left join lateral unnest(tags) as tag on true' : '';
    return `select '${field}' as by, ${VALUES[field]} as value, count(*)::int as devices from matched ${each} group by 2`;
  });
  return `
    with matched as materialized (
      select state, model, firmware, site, tags, profile, trust from device where ${condition}
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
