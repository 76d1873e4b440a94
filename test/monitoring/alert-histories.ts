import { type Client } from 'pg';
import { alertPassSql } from '../../src/monitoring/alerts/alert-pass.js';

/*
 * Histories of one device under one rule: what is open after each pass. `alert-pass.spec.ts` and `npm run
 * bench:monitoring` play them. Each pass has its own time.
 */

export const EVERY_SECONDS = 240;
const DEVICE = '00000000-0000-4000-8000-000000000001';
const RULE = '00000000-0000-4000-8000-000000000002';

export interface Rule {
  /** Of `device_sample`, `rsrp` by default. */
  readonly column?: string;
  /** Of two values, where a rule names two. */
  readonly columns?: readonly string[];
  readonly matches: string;
  readonly clears?: string;
  readonly forSeconds?: number;
  readonly clearAfterSeconds?: number;
}

/** What happens in an interval: a sample with a value or `null`; no sample; the policy goes. */
export type Step = number | null | 'late' | 'no policy';

const WEAK = { matches: 'rsrp < -110', forSeconds: 480, clearAfterSeconds: 480 };
const WEAK_AT_ONCE = { matches: 'rsrp < -110' };
const PATIENT = { matches: 'rsrp < -110', forSeconds: 900 };
const TWO_LIMITS = { matches: 'rsrp < -110', clears: 'rsrp > -100' };
const DATA = { column: 'data_month', matches: 'data_month > 500e6' };
const YOUNG = { column: 'uptime_seconds', matches: 'uptime_seconds < 3600' };
const OLD = { column: 'uptime_seconds', matches: 'uptime_seconds > 2592000' };

/** Each with a step in 240 s; the states after them: `p` pending, `o` open, `-` none; and how many alerts opened. */
export const HISTORIES: readonly (readonly [string, Rule, readonly Step[], string, number])[] = [
  ['all good', WEAK, [-90, -91, -92], '---', 0],
  ['all bad', WEAK, [-120, -121, -122, -123], 'ppoo', 1],
  ['one bad sample', WEAK, [-90, -120, -90], '-p-', 0],
  ['bad and good in turns', WEAK, [-120, -90, -120, -90], 'p-p-', 0],
  ['good for good', WEAK, [-120, -120, -120, -90, -90, -90, -90], 'ppooo--', 1],
  ['good once', WEAK, [-120, -120, -120, -90, -120, -90, -90, -90], 'ppooooo-', 1],
  ['about the limit', { ...WEAK, forSeconds: 0 }, [-111, -109, -111, -109], 'oooo', 1],
  ['between two limits', TWO_LIMITS, [-115, -105, -111, -95], 'ooo-', 1],
  ['between two limits that overlap', { ...TWO_LIMITS, clears: 'rsrp > -115' }, [-112, -113, -109], 'oo-', 1],
  ['exactly at the limit', WEAK_AT_ONCE, [-110, -110], '--', 0],
  ['every second sample is late', WEAK, [-120, 'late', -120, 'late', -120], 'ppooo', 1],
  ['a gap before its time, then good', PATIENT, [-120, 'late', 'late', 'late', 'late', -90], 'ppppp-', 0],
  ['a gap before its time, still bad', PATIENT, [-120, 'late', 'late', 'late', 'late', -120], 'pppppo', 1],
  ['a gap from the beginning', WEAK, ['late', 'late', 'late'], '---', 0],
  ['a gap, then good', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'late', -90], 'ooooo-', 1],
  ['a gap, still bad', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'late', -120], 'oooooo', 1],
  ['a gap after a good sample', WEAK_AT_ONCE, [-90, 'late', 'late', 'late', 'late'], '-----', 0],
  ['a gap while it is nearly over', WEAK, [-120, -120, -120, -90, 'late', 'late', 'late', 'late'], 'ppooo---', 1],
  ['no value at all', WEAK, [null, null, null], '---', 0],
  ['no value before its time', WEAK, [-120, null, -120, -120, -120], 'p-ppo', 1],
  ['no value once', WEAK_AT_ONCE, [-120, null, -120], 'ooo', 1],
  ['no value every second time', WEAK_AT_ONCE, [-120, null, -120, null, -120, null], 'oooooo', 1],
  ['no value for good', WEAK_AT_ONCE, [-120, null, null, null, null], 'oooo-', 1],
  ['no value, then good', WEAK_AT_ONCE, [-120, null, -90], 'oo-', 1],
  ['no value, then a gap, then bad', WEAK_AT_ONCE, [-120, null, 'late', 'late', 'late', -120], 'oooooo', 1],
  ['no value between two limits', TWO_LIMITS, [-115, null, -105, null, -111], 'ooooo', 1],
  ['no value for good between two limits', TWO_LIMITS, [-115, null, null, null, null], 'oooo-', 1],
  ['the policy goes', WEAK_AT_ONCE, [-120, 'no policy', 'no policy'], 'o--', 1],
  ['the policy goes before its time', WEAK, [-120, 'no policy', -120, -120], 'p-pp', 0],
  ['the policy goes and comes back', WEAK_AT_ONCE, [-120, 'no policy', -120], 'o-o', 2],
  ['the policy goes with a good device', WEAK_AT_ONCE, [-90, 'no policy', -90], '---', 0],
  ['the policy goes during a gap', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'no policy'], 'oooo-', 1],
  ['a new month', DATA, [499e6, 501e6, 2e6, 3e6], '-o--', 1],
  ['a counter that falls before its time', { ...DATA, forSeconds: 480 }, [501e6, 1e6, 501e6, 502e6], 'p-pp', 0],
  ['a counter that falls and grows', DATA, [501e6, 1e6, 501e6], 'o-o', 2],
  ['a reboot', YOUNG, [90_000, 60, 300, 540, 3_600], '-ooo-', 1],
  ['a reboot ends a long time', OLD, [2_592_001, 60, 300], 'o--', 1],
  ['a reboot, with a sample without uptime', YOUNG, [90_000, null, 60, 3_700], '--o-', 1],
  ['reboots again and again', { ...YOUNG, clearAfterSeconds: 480 }, [60, 3_700, 60, 3_700, 60], 'ooooo', 1],
  ['another SIM', WEAK, [-95, null, -112, -94], '--p-', 0],
  ['another SIM while it is open', WEAK, [-115, -115, -115, null, -90, -90], 'ppooo-', 1],
  ['another SIM that is weak, too', WEAK, [-115, -115, -115, null, null, -118], 'ppoooo', 1],
];

const where = (condition: string) => `device.id in (select device_id from device_sample where ${condition})`;

/** The device and its rule, in a database with the schema. */
export class OneDevice {
  private now = Date.parse('2026-03-02T08:00:00Z');

  private constructor(private readonly db: Client) {}

  static async make(db: Client): Promise<OneDevice> {
    await db.query(`insert into device (id, name, base_url, created_at, updated_at)
                    values ('${DEVICE}', 'a', 'https://192.0.2.1', now(), now())`);
    await db.query(
      `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, enabled, created_by,
                               created_by_name, created_at, version)
       values ('${RULE}', 'weak', 'rsrp<-110', 0, 0, 'warning', true, 'session:x', 'Nora', now(), 1)`,
    );
    return new OneDevice(db);
  }

  async forget(): Promise<void> {
    await this.db.query(
      'delete from alert; delete from monitored_device; delete from device_sample; delete from event',
    );
  }

  /** What the device says now; null: it was sampled, and gave no value. */
  async sampled(value: number | null, column = 'rsrp'): Promise<void> {
    await this.db.query(
      `insert into monitored_device (device_id, policies, every_seconds, interval_seconds, due_at)
       values ('${DEVICE}', '{}', ${EVERY_SECONDS}, ${EVERY_SECONDS}, 'infinity') on conflict do nothing`,
    );
    await this.db.query(
      `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, ${column}, rest)
       values ('${DEVICE}', $1, '{}', 1, '2026-03-01', 1, $2, '{}')
       on conflict (device_id) do update set sampled_at = excluded.sampled_at, ${column} = excluded.${column}`,
      [new Date(this.now), value],
    );
  }

  /** The state of the alert that is not closed, after a pass at a later time. @param clients that make a pass at the same time */
  async after(seconds: number, rule: Rule, ...clients: readonly Client[]): Promise<string> {
    this.now += seconds * 1_000;
    await Promise.all([this.db, ...clients].map((client) => this.pass(rule, client)));
    const { rows } = await this.db.query<{ state: string }>(`select state from alert where state <> 'closed'`);
    return rows.map(({ state }) => state).join() || 'none';
  }

  /** @returns a sign for each step, as in `HISTORIES` */
  async play(rule: Rule, steps: readonly Step[]): Promise<string> {
    let found = '';
    for (const step of steps) {
      if (step === 'no policy') await this.db.query('delete from monitored_device');
      else if (step !== 'late') await this.sampled(step, rule.column);
      found += { none: '-', pending: 'p', open: 'o' }[await this.after(0, rule)] ?? '?';
      this.now += EVERY_SECONDS * 1_000;
    }
    return found;
  }

  /** Types of the events of alerts, in their order. */
  async events(): Promise<string[]> {
    const { rows } = await this.db.query<{ type: string }>(
      `select type from event where type like 'alert.%' order by id`,
    );
    return rows.map(({ type }) => type);
  }

  private async pass(rule: Rule, client: Client): Promise<void> {
    const { column = 'rsrp', columns = [column], matches, clears, forSeconds = 0, clearAfterSeconds = 0 } = rule;
    await client.query(
      alertPassSql({
        scope: 'true',
        matches: where(matches),
        clears: clears === undefined ? null : where(clears),
        columns,
        clearColumns: clears === undefined ? [] : [column],
        rule: '$1::uuid',
        now: '$2::timestamptz',
        forSeconds,
        clearAfterSeconds,
        checkSeconds: null,
      }),
      [RULE, new Date(this.now)],
    );
  }
}
