import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Batching } from '../../database/batching.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { KEEP, SampleHistory } from './sample-history.js';
import { sampleValues, type SampleValues } from './sample-values.js';

/*
 * Stores samples: those of a moment in one statement. A sample is a status check, too, so the status sweep has none to make
 * until the next sample is late. An uptime that fell is a restart, perhaps with other firmware: then the sweep reads at once
 * what the device is.
 */

/** The pause after a statement with several samples, so that the next one has more. */
const REST_MS = 200;

export interface NewSample {
  readonly deviceId: string;
  readonly sampledAt: Date;
  readonly paths: readonly string[];
  readonly bytes: number;
  /** The first day of the month, `2026-11-01`. */
  readonly month: string;
  /** With those of its own login: what the month has more. */
  readonly spentBytes: number;
  readonly intervalSeconds: number;
  readonly process: string;
  readonly values: SampleValues;
}

/** Each sample has all values, so one of nothing names their columns. */
const { modems: _modems, interfaces: _interfaces, extra: _extra, ...NO_VALUES } = sampleValues([], [], []);

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const REPLACED = ['sampled_at', 'paths', 'bytes', 'rest', ...Object.keys(NO_VALUES).map(columnOf)];
const ALL = ['device_id', 'month', 'month_bytes', ...REPLACED];

/** Bytes of a month that are stored already, where it is the same month. */
export const spentBefore = (month: string) => `case when before.month = ${month} then before.month_bytes else 0 end`;

/** Rows are locked in the order of their ids, as by other writers of many devices. */
const STORE = `
  with given as (
    select sample.*, plan.* from jsonb_array_elements($1::jsonb) as row
     cross join jsonb_populate_record(null::device_sample, row) sample
     cross join jsonb_to_record(row) as plan (interval_seconds int, process uuid)
  ), ours as materialized (
    select id from device where id in (select device_id from given) order by id for no key update
  ), plans as materialized (
    select device_id from monitored_device where device_id in (select id from ours) order by device_id for no key update
  ), taken as (
    select given.* from given join ours on ours.id = given.device_id left join plans on plans.device_id = ours.id
  ), planned as (
    update monitored_device plan
       set interval_seconds = greatest(taken.interval_seconds, plan.every_seconds), last_error = null, process = taken.process,
           slowed_month = case when taken.interval_seconds > plan.every_seconds then taken.month else plan.slowed_month end,
           due_at = case when taken.interval_seconds = plan.interval_seconds then plan.due_at
                         else taken.sampled_at + taken.interval_seconds * interval '1 second' end
      from taken where plan.device_id = taken.device_id
  ), known as (
    update device
       set identify_at = case when has.restarted then taken.sampled_at else device.identify_at end,
           probe_at = case when has.restarted then taken.sampled_at
                           else greatest(device.probe_at, least(device.identify_at, taken.sampled_at + $2 * interval '1 second')) end
      from taken left join device_sample before on before.device_id = taken.device_id
           cross join lateral (select coalesce(taken.uptime_seconds < before.uptime_seconds, false) as restarted) has
     where device.id = taken.device_id
  ), kept as (${KEEP})
  insert into device_sample as before (${ALL.join(', ')})
  select ${ALL.join(', ')} from taken order by device_id
  on conflict (device_id) do update
     set month = excluded.month, month_bytes = ${spentBefore('excluded.month')} + excluded.month_bytes,
         ${REPLACED.map((column) => `${column} = excluded.${column}`).join(', ')}`;

const STORE_FAILURE = `
  with planned as (
    update monitored_device
       set last_error = $2, interval_seconds = greatest(interval_seconds, $5::int),
           slowed_month = case when $5::int > every_seconds then $3::date else slowed_month end
     where device_id = $1 and (last_error is distinct from $2 or $5::int > interval_seconds)
  )
  update device_sample before set month = $3::date, month_bytes = ${spentBefore('$3::date')} + $4::int
   where device_id = $1 and $4::int > 0`;

/**
 * A budget is of a month: at the next one no device waits for the rest of an interval that was up to a day.
 * @param table of the plans, which is called `plan` @param every SQL of a plan's interval without a budget; $1 is the present time
 */
export const newMonthSql = (table: string, every: string): string => `
  update ${table} plan
     set interval_seconds = ${every}, due_at = least(plan.due_at, $1::timestamptz + random() * ${every} * interval '1 second')
    from device_sample sample
   where sample.device_id = plan.device_id and plan.interval_seconds > ${every}
     and sample.month < date_trunc('month', $1::timestamptz at time zone 'UTC')::date`;

@Injectable()
export class SampleStore {
  private readonly samples = new Batching<NewSample>((samples) => this.storeAll(samples), REST_MS);

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SampleHistory) private readonly history: Pick<SampleHistory, 'freeDays'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  /** Resolves at the commit. */
  add(sample: NewSample): Promise<void> {
    return this.samples.add(sample);
  }

  /** Stores why a device has no new values, and what that cost: it can make the interval longer, and never shorter. */
  async noteFailure(
    failure: Pick<NewSample, 'deviceId' | 'month' | 'spentBytes' | 'intervalSeconds'>,
    code: string,
  ): Promise<void> {
    const { deviceId, month, spentBytes, intervalSeconds } = failure;
    await this.db.query(STORE_FAILURE, [deviceId, code, month, spentBytes, intervalSeconds]);
  }

  private async storeAll(samples: readonly NewSample[]): Promise<void> {
    const latest = new Map(samples.map((sample) => [sample.deviceId, sample])); // a statement takes a row only once
    const days = await this.history.freeDays(samples.map(({ sampledAt }) => sampledAt));
    const rows = JSON.stringify([...latest.values()].map(rowOf));
    await this.db.query(STORE, [rows, this.config.STATUS_EVERY_SECONDS, days]);
  }
}

function rowOf({ values: { modems, interfaces, extra, ...values }, ...sample }: NewSample): object {
  return {
    device_id: sample.deviceId,
    sampled_at: sample.sampledAt,
    paths: sample.paths,
    bytes: sample.bytes,
    month: sample.month,
    month_bytes: sample.spentBytes,
    interval_seconds: sample.intervalSeconds,
    process: sample.process,
    rest: { modems, interfaces, extra },
    ...Object.fromEntries(Object.entries(values).map(([field, value]) => [columnOf(field), value])),
  };
}
