import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { columnOfMeasure } from '../../selectors/measures.js';
import { sampleColumnsOf, termsOf } from '../../selectors/selector-expansion.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { DEVICE_STATES, type Selector, type Term } from '../../selectors/selector.js';
import { readLimitedSelector } from '../samples/limited-selector.js';
import { ringsOf } from '../samples/sample-history.js';
import { type TriedDevice, type TryInput } from './alerts.contract.js';

/*
 * What a rule would have opened in the last days. The past has two sources: samples, and the events of states. All else of a
 * device is as it is now, so a rule must name one of the two, and may not name what has no past here.
 *
 * Each row of the past is in one phase: `on` matches, `over` is the end of the condition, `between` is neither. A phase that lasts
 * for long enough opens or closes an alert, as in `alert-pass.ts`. Samples without a value that the rule names are left out.
 */

const DAYS = 7;
const DAY_MS = 86_400_000;

/** The devices with the most alerts. */
const LISTED = 20;

const STATE_EVENTS = DEVICE_STATES.map((state) => `device.${state}`);

/** What selectors read of a device, beside its state. */
const COLUMNS = `
  device.id, device.name, device.site, device.tags, device.fields, device.serial, device.mac, device.model, device.firmware,
  device.network_operator, device.profile, device.trust, device.seen_at`;

const STEPS_OF_A_DAY = 4;
const STEP_S = 86_400 / STEPS_OF_A_DAY;

interface Row extends TriedDevice {
  readonly allOpened: number;
  readonly allDevices: number;
  /** Alerts by the number of their step; those without one are left out. */
  readonly bySteps: Readonly<Record<number, number>>;
}

@Injectable()
export class RuleTrials {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'MONITORING_KEEP_DAYS'>,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
  ) {}

  /** @throws AppError `invalid_selector`, also for a term about what has no past here */
  async try(rule: TryInput, { rights }: Principal) {
    const matches = await this.read(rule.selector, rights);
    const clears = await this.read(rule.clearSelector ?? 'all', rights);
    const columns = sampleColumnsOf(matches, clears);
    const isOfStates = [matches, clears].flatMap(termsOf).some(isState);
    if (columns.length === 0 && !isOfStates)
      throw refused('a term about the state or a value of samples, such as state:offline');
    const now = this.clock.now();
    const days = this.days(columns);
    const from = new Date(now.getTime() - days * DAY_MS);
    const length = days * STEPS_OF_A_DAY;
    const values: unknown[] = [];
    const param = (value: unknown) => `$${values.push(value)}`;
    const row = columns.length > 0 ? 'joined' : 'latest';
    const rows = await this.db.query<Row[]>(
      trialSql({
        scope: rights.sql('device.read', values, now),
        matches: selectorSql(matches, values, now, rights, row),
        clears: selectorSql(clears, values, now, rights, row),
        columns,
        from: `${param(from)}::timestamptz`,
        to: `${param(now)}::timestamptz`,
        rings: ringsOf(from, now),
        lastStep: length - 1,
        events: `${param(STATE_EVENTS)}::text[]`,
        forSeconds: rule.forSeconds,
        clearAfterSeconds: rule.clearAfterSeconds,
      }),
      values,
    );
    const [first] = rows;
    const items = rows.map(({ allOpened: _all, allDevices: _devices, bySteps: _steps, ...device }) => device);
    const steps = Array.from({ length }, (_, step) => first?.bySteps[step] ?? 0);
    return { from, to: now, opened: first?.allOpened ?? 0, devices: first?.allDevices ?? 0, steps, items };
  }

  private read(text: string, rights: Rights): Promise<Selector> {
    return readLimitedSelector(this.selectors, text, rights, withoutPast);
  }

  private days(columns: readonly string[]): number {
    const { MONITORING_KEEP_DAYS: kept } = this.config;
    if (columns.length > 0 && kept === 0)
      throw refused('no value of samples: none is kept (MONITORING_KEEP_DAYS is 0)');
    return columns.length > 0 ? Math.min(DAYS, kept) : DAYS;
  }
}

interface TrialParts {
  /** Conditions on table `device`, as of now (`scope`) and of a time in the past. */
  readonly scope: string;
  readonly matches: string;
  readonly clears: string;
  readonly columns: readonly string[];
  readonly rings: readonly number[];
  readonly lastStep: number;
  /** Parameters of the statement, with their casts. */
  readonly from: string;
  readonly to: string;
  readonly events: string;
  readonly forSeconds: number;
  readonly clearAfterSeconds: number;
}

function trialSql(parts: TrialParts): string {
  const { forSeconds, clearAfterSeconds } = parts;
  const lasted = (seconds: number) => `ended - begun >= ${seconds} * interval '1 second'`;
  return `
    with past as materialized (${pastSql(parts)}),
         run as (${runsSql(parts)}),
         turn as (select id, begun + ${forSeconds} * interval '1 second' as at, true as opens
                    from run where phase = 'on' and ${lasted(forSeconds)}
                  union all
                  select id, begun + ${clearAfterSeconds} * interval '1 second', false
                    from run where phase = 'over' and ${lasted(clearAfterSeconds)}),
         opened as (select id, at from (
                      select id, at, opens and not coalesce(lag(opens) over (partition by id order by at, opens), false) as opens
                        from turn) turns
                     where opens)
    select device.id as "deviceId", device.name as "deviceName", count(*)::int as opened, max(opened.at) as "lastOpenedAt",
           (sum(count(*)) over ())::int as "allOpened", (count(*) over ())::int as "allDevices",
           (select jsonb_object_agg(step, alerts) from (
              select least(floor(extract(epoch from at - ${parts.from}) / ${STEP_S})::int, ${parts.lastStep}) as step, count(*)::int as alerts
                from opened group by step) steps) as "bySteps"
      from opened join device using (id)
     group by device.id, device.name order by opened desc, device.name limit ${LISTED}`;
}

/** Devices with each of their states, `since` and `until` when. The first event of the time says what was before it. */
const pastSql = ({ scope, from, to, events }: TrialParts): string => `
  with happened as materialized (
         select device_id, at, tx, id, data ->> 'before' as before, substr(type, length('device.') + 1) as state
           from event where type = any(${events}) and at > ${from} and at <= ${to}),
       change as (
         select device_id, at, state from happened
         union all
         select device.id, greatest(${from}, created_at), coalesce(first.before, state)
           from device left join (
             select distinct on (device_id) device_id, before from happened order by device_id, tx, id) first on first.device_id = device.id)
  select ${COLUMNS}, change.state, change.at as since,
         coalesce(lead(change.at) over (partition by device.id order by change.at), 'infinity') as until
    from change join device on device.id = change.device_id where ${scope}`;

/** Phases without a break: those of states last until now, those of samples until the last sample. */
function runsSql({ matches, clears, columns, from, to, rings }: TrialParts): string {
  const phase = `case when ${matches} then 'on' when ${clears} then 'over' else 'between' end as phase`;
  const rows =
    columns.length === 0
      ? `select device.id, device.since as at, ${phase} from past device`
      : `select device.id, sample.at, ${phase}
           from past device join device_sample_history sample
             on sample.device_id = device.id and sample.ring in (${rings.join()}) and sample.at >= ${from}
                and sample.at >= device.since and sample.at < device.until
                and num_nulls(${columns.map((column) => `sample.${column}`).join()}) = 0`;
  const [isLast, end] = columns.length === 0 ? ['false', to] : ['lead(at) over one is null', 'at'];
  return `
  select id, phase, at as begun, ended
    from (select id, phase, at, begins, coalesce(lead(at) over (partition by id order by at), ${end}) as ended
            from (select id, phase, at, phase is distinct from lag(phase) over one as begins, ${isLast} as is_last
                    from (${rows}) judged window one as (partition by id order by at)) marked
           where begins or is_last) runs
   where begins`;
}

const isState = (term: Term): boolean => term.is === 'text' && term.field === 'state';

/** What is refused, since nothing says how it was before. */
function withoutPast(term: Term): string | null {
  const isPast =
    term.is === 'record' || term.is === 'seen' || (term.is === 'measure' && columnOfMeasure(term.name) === null);
  if (!isPast) return null;
  return `no \`${term.is === 'seen' ? 'seen' : term.name}\`: only states and values of samples can be looked up in the past`;
}

const refused = (expected: string): AppError => new AppError('invalid_selector', { position: 0, expected });
