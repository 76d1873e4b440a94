import { type Logger } from 'pino';
import { type DataSource, type EntityManager, MoreThan } from 'typeorm';
import { type Authors } from '../../auth/keys/authors.service.js';
import { type SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { JOB_KINDS } from '../../jobs/kinds/index.js';
import { AppError } from '../../platform/errors.js';
import { errorFields } from '../../platform/log.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { Mute } from './mute.entity.js';

/* Devices about which receivers are not notified now. Their alerts open and close as always, and are told afterwards if they last. */

/** After a restart by a job, the alerts of the device have so long to close: its state is read every five minutes. */
const RESTART_GRACE_MS = 300_000;

const RESTARTING = [...JOB_KINDS.values()].filter(({ restarts }) => restarts).map(({ name }) => name);

/**
 * Whether a device restarts by its own job, as a condition on a column with its id. A job that still waits for its device does
 * not count: only what was sent makes a device go away.
 */
export function restartsNow(deviceId: string, values: unknown[], now: Date): string {
  const kinds = `$${values.push(RESTARTING)}::text[]`;
  const endedAfter = `$${values.push(new Date(now.getTime() - RESTART_GRACE_MS))}::timestamptz`;
  return `exists (select from job where job.device_id = ${deviceId} and job.kind = any(${kinds})
    and job.intent ->> 'state' not in ('open', 'not_executed') and (job.phase <> 'ended' or job.ended_at > ${endedAfter}))`;
}

/** Since when the gateway doubts its own connection; null: it does not. */
export async function doubtSince(db: Pick<EntityManager, 'query'>): Promise<Date | null> {
  const [row] = await db.query<{ since: Date }[]>(`select since from system_warning where code = 'many_devices_away'`);
  return row?.since ?? null;
}

/** A device of a mute, and the rule that it is about; null: all rules. */
export interface MutedDevice {
  readonly deviceId: string;
  readonly ruleId: string | null;
}

/** Only about these can a receiver be notified: a mute of a whole fleet names few devices on a good day. */
const HAS_ALERT = `id in (select device_id from alert where state <> 'closed' union select device_id from alert_told)`;

/**
 * What the mutes name now of the devices with alerts, each with the present rights of its author. One that cannot be read, or is an
 * orphan's, names nothing, and so does one whose query fails: a notification too many is better than none.
 */
export async function mutedDevices(
  db: DataSource,
  authors: Pick<Authors, 'rightsOf'>,
  selectors: Pick<SavedSelectorsService, 'read'>,
  now: Date,
  log: Pick<Logger, 'warn'>,
): Promise<MutedDevice[]> {
  const mutes = await db.manager.findBy(Mute, { until: MoreThan(now) });
  const muted = new Map<string, MutedDevice>(); // many mutes can name the same device
  for (const mute of mutes) {
    try {
      for (const { id } of await devicesOf(mute, db, authors, selectors, now))
        muted.set(`${id} ${mute.ruleId}`, { deviceId: id, ruleId: mute.ruleId });
    } catch (error) {
      if (!(error instanceof AppError))
        log.warn({ name: mute.id, ...errorFields(error) }, 'A mute cannot be applied; its devices are not quiet');
    }
  }
  return [...muted.values()];
}

async function devicesOf(
  mute: Mute,
  db: DataSource,
  authors: Pick<Authors, 'rightsOf'>,
  selectors: Pick<SavedSelectorsService, 'read'>,
  now: Date,
): Promise<{ readonly id: string }[]> {
  const rights = await authors.rightsOf(mute);
  if (!rights) return [];
  const values: unknown[] = [];
  const chosen = selectorSql(await selectors.read(mute.selector, rights), values, now, rights);
  const scope = rights.sql('device.read', values, now);
  return db.query(`select id from device where ${HAS_ALERT} and ${chosen} and ${scope}`, values);
}
