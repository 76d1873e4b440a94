import { FRESH_INTERVALS } from '../policy-price.js';

/*
 * One pass of a rule, as one statement over all devices:
 *
 *   none -> pending      the device matches
 *   pending -> open      it matched at each pass for `forSeconds`
 *   pending -> none      it does not match any more
 *   open -> closed       its condition was over at each pass for `clearAfterSeconds`, or the rule does not see it any more
 *
 * A rule about samples judges only devices with a fresh sample: the alert of another one stays as it is. A device that no policy
 * samples any more will have none, so its alert closes. A fresh sample without a value that the rule names matches nothing, but
 * one missing value ends no alert: the condition is over after as long as a sample is fresh. That also ends an alert whose
 * `clears` can never be met, since the device has lost its modem.
 *
 * `matched_at` and `cleared_at` say since when a condition holds without a break. After a break of the passes they begin again
 * (`timesAgainSql`): what the gateway did not see did not last.
 *
 * A device is offline at the second failed check in a row, and was away since the first. So a rule about devices that are offline
 * counts from the first one, where that is an interval of the checks ago: later ones were judged late, while the gateway doubted itself.
 */

export interface PassParts {
  /** Conditions on table `device`. */
  readonly scope: string;
  readonly matches: string;
  /** What a device that no longer matches must meet, too, for the condition to be over; null: nothing. */
  readonly clears: string | null;
  /** Columns of `device_sample` whose values the rule names; none: it is not about samples. */
  readonly columns: readonly string[];
  /** Those of `clears`. */
  readonly clearColumns: readonly string[];
  /** Parameters of the statement, with their casts. */
  readonly rule: string;
  readonly now: string;
  readonly forSeconds: number;
  readonly clearAfterSeconds: number;
  /** Seconds between two checks where the rule matches offline devices only; null: it may match others. */
  readonly checkSeconds: number | null;
}

/** The second check comes after 0.95 to 1.05 intervals and some seconds, the third after 1.9. */
const SECOND_CHECK_INTERVALS = 1.5;

/** @returns a statement that answers how many alerts it opened and closed */
export function alertPassSql(parts: PassParts): string {
  const { rule, now, forSeconds } = parts;
  return `
    with seen as materialized (${seenSql(parts)}
    ), known as materialized (
      select alert.id, alert.state, alert.matched_at, alert.cleared_at, seen.matches, seen.is_judged, seen.hold_seconds,
             not seen.matches and (seen.clears or seen.lacks_clear) as clears, seen.id is null as is_gone
        from alert left join seen on seen.id = alert.device_id
       where alert.rule_id = ${rule} and alert.state <> 'closed' order by alert.device_id for no key update of alert
    ), begun as (
      insert into alert (rule_id, device_id, state, matched_at, opened_at)
      select ${rule}, id, ${forSeconds === 0 ? `'open'` : `'pending'`}, since, ${forSeconds === 0 ? now : 'null'}
        from seen
       where is_judged and matches
         and not exists (select from alert where rule_id = ${rule} and device_id = seen.id and state <> 'closed')
       order by id on conflict do nothing returning state
    ), forgotten as (
      delete from alert using known
       where alert.id = known.id and known.state = 'pending' and (is_gone or (is_judged and not matches)) returning 1
    ), changed as (${changedSql(parts)}
    )
    select ((select count(*) from begun where state = 'open') + (select count(*) from changed where to_open))::int as opened,
           (select count(*) from changed where state = 'closed')::int as closed`;
}

/** The devices that the rule sees, and what it says of each. */
function seenSql(parts: PassParts): string {
  const { scope, matches, clears, columns, clearColumns, now } = parts;
  const about = `device.id, ${sinceSql(parts)} as since, ${matches} as matches, ${clears ?? 'true'} as clears`;
  if (columns.length === 0)
    return `
      select ${about}, true as is_judged, false as lacks_clear, 0 as hold_seconds from device where ${scope}`;
  const freshSeconds = `${FRESH_INTERVALS} * plan.interval_seconds`;
  return `
      select ${about}, sample.sampled_at > ${now} - ${freshSeconds} * interval '1 second' as is_judged,
             ${clearColumns.length > 0 ? `num_nulls(${clearColumns.join()}) > 0` : 'false'} as lacks_clear,
             case when num_nulls(${columns.join()}) > 0 then ${freshSeconds} else 0 end as hold_seconds
        from device join device_sample sample on sample.device_id = device.id
                    join monitored_device plan on plan.device_id = device.id
       where ${scope}`;
}

/** Since when a device that matches now does. */
const sinceSql = ({ now, checkSeconds }: PassParts): string =>
  checkSeconds === null
    ? now
    : `case when failed_checks > 0 and failing_since > ${now} - ${SECOND_CHECK_INTERVALS * checkSeconds} * interval '1 second'
            then least(failing_since, ${now}) else ${now} end`;

/** Opens and closes the alerts that are known, and notes since when their condition is over. */
function changedSql({ now, forSeconds, clearAfterSeconds }: PassParts): string {
  const hasLasted = (column: string, seconds: number | string) =>
    `${now} - ${column} >= ${seconds} * interval '1 second'`;
  const isOverLongEnough = hasLasted(
    `coalesce(known.cleared_at, ${now})`,
    `greatest(${clearAfterSeconds}, known.hold_seconds)`,
  );
  return `
      update alert set
             state = case when to_close then 'closed' when to_open then 'open' else alert.state end,
             opened_at = case when to_open then ${now} else alert.opened_at end,
             closed_at = case when to_close then ${now} end,
             cleared_at = case when not is_over then null else coalesce(alert.cleared_at, ${now}) end
        from known cross join lateral (
               select known.state = 'open' and (is_gone or (is_judged and clears)) as is_over) has
             cross join lateral (
               select known.state = 'pending' and not is_gone and is_judged and matches
                        and ${hasLasted('known.matched_at', forSeconds)} as to_open,
                      is_over and (is_gone or ${isOverLongEnough}) as to_close) will
       where alert.id = known.id and (is_gone or is_judged)
         and (to_open or to_close or is_over <> (alert.cleared_at is not null))
         and not (known.state = 'pending' and (is_gone or not matches))
      returning alert.state, to_open`;
}

/** After a break: what was under way begins again. */
export const timesAgainSql = (rule: string, now: string): string =>
  `update alert set matched_at = case when state = 'pending' then ${now} else matched_at end,
                    cleared_at = case when cleared_at is not null then ${now} end
    where rule_id = ${rule} and (state = 'pending' or (state = 'open' and cleared_at is not null))`;
