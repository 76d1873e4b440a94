import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MAX_FAILED_LOGINS } from '../../device-api/session.js';
import { Clock } from '../../platform/clock.js';
import { Batching } from '../../database/batching.js';
import { DeviceCache } from './device-cache.js';
import { type RegisteredAccount } from './device.queries.js';
import { columnsOf } from '../../database/columns-of.js';

/*
 * Counts refused logins in the database, so that all replicas together stop at three (ADR 5 has the exception).
 *
 * Credentials that the device accepted last time are sent without a reservation. Others may be refused, so the attempt
 * is counted before it is sent: a reservation, which becomes a refusal or is released. The reservation of a process
 * that dies expires. Each statement has the version of the credentials (`changedAt`), so that a refusal never counts
 * for newer credentials.
 *
 * A fleet that is called for the first time logs in by the hundred. So reservations of one moment share a statement,
 * and so do granted logins. Granted logins send a notification (`database/pg-notifications.ts`), and commits
 * with a notification wait for the disk one after another.
 *
 * Each login that is sent also counts for its device and day, in a row that no cache holds.
 */

/** Longer than any login. */
const RESERVED_MS = 60_000;

/** A statement that changes more rows sends one notification without ids, and then each process reads all devices again. */
const NOTIFIED_ONE_BY_ONE = 100;

type Account = Pick<RegisteredAccount, 'id' | 'changedAt'>;

/** Accounts of these ids and versions that meet a condition, locked in the same order by all processes. */
const lockAccounts = (condition: string) => `
  ours as materialized (
    select account.id from device_account account
      join unnest($1::uuid[], $2::timestamptz[]) as asked (id, changed_at) using (id, changed_at)
     where ${condition} order by account.id for update of account)`;

const RUNNING = 'case when reserved_until > $3 then reserved_logins else 0 end';

const RESERVE = `
  with ${lockAccounts(`failed_logins + ${RUNNING} < ${MAX_FAILED_LOGINS}`)}
  update device_account account set reserved_logins = ${RUNNING} + 1, reserved_until = $4
    from ours where account.id = ours.id returning account.id`;

const GRANT = `
  with ${lockAccounts('true')}
  update device_account account set failed_logins = 0, reserved_logins = 0, proven_for = changed_at
    from ours where account.id = ours.id returning account.device_id as "deviceId"`;

/** A device that was removed meanwhile has no row to count in. */
const COUNT = `
  insert into device_login (day, device_id, logins)
  select ($2::timestamptz at time zone 'UTC')::date, sent.device_id, count(*)
    from unnest($1::uuid[]) as sent (device_id) join device on device.id = sent.device_id
   group by sent.device_id order by sent.device_id
  on conflict (day, device_id) do update set logins = device_login.logins + excluded.logins`;

@Injectable()
export class LoginCounts {
  private readonly reservations = new Batching<Account, boolean>((asked) => this.reserveAll(asked));
  private readonly grants = new Batching<Account>((accounts) => this.grantAll(accounts));
  private readonly sent = new Batching<string>(async (deviceIds) => {
    await this.db.query(COUNT, [deviceIds, this.clock.now()]);
  });

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DeviceCache) private readonly cache: DeviceCache,
  ) {}

  /** Counts a login for its device and day. */
  count(deviceId: string): Promise<void> {
    return this.sent.add(deviceId, true);
  }

  /** Whether a login must be reserved: its password was never accepted, or was refused since. */
  isDoubtful({ proven, failedLogins }: RegisteredAccount): boolean {
    return !proven || failedLogins > 0;
  }

  /**
   * Reserves a login before it is sent. Call `granted`, `refused` or `release` afterwards.
   * @returns false when refused and running logins together reach the limit, and when the credentials have changed
   */
  async reserve(deviceId: string, { id, changedAt }: Account): Promise<boolean> {
    const isMade = await this.reservations.add({ id, changedAt });
    if (!isMade) this.cache.drop(deviceId); // the cached row is outdated
    return isMade;
  }

  /** The login failed otherwise, which proves nothing about the password. */
  async release({ id, changedAt }: Account): Promise<void> {
    await this.db.query(
      `update device_account set reserved_logins = greatest(reserved_logins - 1, 0) where id = $1 and changed_at = $2`,
      [id, changedAt],
    );
  }

  /** The device accepted the password: resets the counts. */
  async granted(account: Account): Promise<void> {
    await this.grants.add(account);
  }

  /**
   * The device refused the password.
   * @param wasReserved whether the login was reserved, so that it is not counted twice
   * @returns the number of refusals; null when the credentials have changed since
   */
  async refused({ id, changedAt }: Account, wasReserved: boolean): Promise<number | null> {
    return this.write(
      `update device_account
          set failed_logins = failed_logins + 1, reserved_logins = greatest(reserved_logins - $3, 0), proven_for = null
        where id = $1 and changed_at = $2 returning device_id, failed_logins`,
      [id, changedAt, wasReserved ? 1 : 0],
    );
  }

  /** An operator allows new attempts. */
  async clear(accountId: string): Promise<void> {
    await this.write(
      `update device_account set failed_logins = 0, reserved_logins = 0
        where id = $1 and failed_logins + reserved_logins > 0 returning device_id, failed_logins`,
      [accountId],
    );
  }

  /** A statement counts an account once, so a second login with it is reserved by the next statement. */
  private async reserveAll(asked: readonly Account[]): Promise<boolean[]> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + RESERVED_MS);
    const made = new Set<Account>();
    let left = asked;
    while (left.length > 0) {
      const round = new Map(left.map((one) => [one.id, one]));
      const once = [...round.values()];
      const [rows] = await this.db.query<[{ id: string }[], number]>(RESERVE, [
        ...columnsOf(once, 'id', 'changedAt'),
        now,
        until,
      ]);
      for (const { id } of rows) made.add(round.get(id)!);
      left = left.filter((one) => round.get(one.id) !== one);
    }
    return asked.map((one) => made.has(one));
  }

  private async grantAll(accounts: readonly Account[]): Promise<void> {
    for (let from = 0; from < accounts.length; from += NOTIFIED_ONE_BY_ONE) {
      const some = accounts.slice(from, from + NOTIFIED_ONE_BY_ONE);
      const [rows] = await this.db.query<[{ deviceId: string }[], number]>(GRANT, columnsOf(some, 'id', 'changedAt'));
      for (const { deviceId } of rows) this.cache.drop(deviceId);
    }
  }

  private async write(update: string, values: unknown[]): Promise<number | null> {
    const [rows] = await this.db.query<[{ device_id: string; failed_logins: number }[], number]>(update, values);
    const row = rows[0];
    if (!row) return null;
    this.cache.drop(row.device_id);
    return row.failed_logins;
  }
}
