/*
 * How many devices were online at instants of the last hours: today's states, and the changes since then undone. Devices
 * that were never checked do not count. Pure.
 */

/** Instants of an answer: a strip on a screen has room for so many. */
export const AVAILABILITY_POINTS = 48;

export interface AvailabilityRow {
  readonly at: Date;
  readonly devices: number;
  readonly online: number;
}

/**
 * @param condition on `device`
 * @param now a parameter with the last instant
 * @param hours a parameter with the length
 * @returns SQL for the rows of `AvailabilityRow`, the oldest first
 */
export function availabilitySql(condition: string, now: string, hours: string): string {
  const start = `${now}::timestamptz - ${hours}::int * interval '1 hour'`;
  const step = `${hours}::int * interval '1 hour' / ${AVAILABILITY_POINTS - 1}`;
  return `
    with visible as materialized (
      select id, state, created_at from device where (${condition}) and state <> 'new' -- not checked yet: neither up nor down
    ), point as (
      select ${now}::timestamptz - n * (${step}) as at from generate_series(0, ${AVAILABILITY_POINTS - 1}) as n
    ), added as materialized (
      select created_at as at from visible where created_at > ${start}
    ), change as materialized (
      select change.at, (change.after = 'online')::int - (change.before = 'online')::int as step
        from device_change as change join visible on visible.id = change.device_id
       where change.field = 'state' and change.at > ${start}
    )
    select point.at,
           ((select count(*) from visible)
             - (select count(*) from added where added.at > point.at))::int as devices,
           ((select count(*) from visible where state = 'online')
             - (select coalesce(sum(step), 0) from change where change.at > point.at))::int as online
      from point order by point.at`;
}
