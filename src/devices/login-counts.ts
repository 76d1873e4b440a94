import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MAX_FAILED_LOGINS } from '../device-api/session.js';
import { Clock } from '../platform/clock.js';
import { DeviceMemory } from './device-memory.js';
import { type TargetAccount } from './device.queries.js';

/*
 * How often devices refused which credentials, counted in the database, so that all replicas together stop at three.
 *
 * Credentials that the device took last time are sent without asking. All others may be refused, so the attempt is
 * counted before it is sent: a reservation, which becomes a refusal or goes away. A process that dies leaves one behind;
 * it lapses. The version of the credentials (`changedAt`) stands in every statement: what was stored meanwhile is
 * nobody's refusal.
 */

/** Longer than any login takes. */
const RESERVED_MS = 60_000;

type Account = Pick<TargetAccount, 'id' | 'changedAt'>;

@Injectable()
export class LoginCounts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DeviceMemory) private readonly memory: DeviceMemory,
  ) {}

  /** Whether a login with an account must be reserved: its password was never taken, or was refused since. */
  isDoubtful({ proven, failedLogins }: TargetAccount): boolean {
    return !proven || failedLogins > 0;
  }

  /**
   * Counts a login before it is sent. Ends with `granted`, `refused` or `release`.
   * @returns false when so many were refused, or are under way, that this one might be one too many; and when the
   *   credentials are others by now
   */
  async reserve(deviceId: string, { id, changedAt }: Account): Promise<boolean> {
    const now = this.clock.now();
    const underWay = 'case when reserved_until > $3 then reserved_logins else 0 end';
    const [rows] = await this.db.query<[unknown[], number]>(
      `update device_account set reserved_logins = ${underWay} + 1, reserved_until = $4
        where id = $1 and changed_at = $2 and failed_logins + ${underWay} < ${MAX_FAILED_LOGINS} returning id`,
      [id, changedAt, now, new Date(now.getTime() + RESERVED_MS)],
    );
    if (rows.length === 0) this.memory.drop(deviceId); // the row is not as it is remembered
    return rows.length > 0;
  }

  /** The login came to neither: it says nothing about the password. */
  async release({ id, changedAt }: Account): Promise<void> {
    await this.db.query(
      `update device_account set reserved_logins = greatest(reserved_logins - 1, 0) where id = $1 and changed_at = $2`,
      [id, changedAt],
    );
  }

  /** The device took the password: what was counted is over. */
  async granted({ id, changedAt }: Account): Promise<void> {
    await this.write(
      `update device_account set failed_logins = 0, reserved_logins = 0, proven_for = changed_at
        where id = $1 and changed_at = $2 returning device_id, failed_logins`,
      [id, changedAt],
    );
  }

  /**
   * The device refused the password.
   * @param wasReserved whether the login was, so that it is not counted twice
   * @returns how many refusals there are of it; null when another was stored meanwhile, which nobody has refused
   */
  async refused({ id, changedAt }: Account, wasReserved: boolean): Promise<number | null> {
    return this.write(
      `update device_account
          set failed_logins = failed_logins + 1, reserved_logins = greatest(reserved_logins - $3, 0), proven_for = null
        where id = $1 and changed_at = $2 returning device_id, failed_logins`,
      [id, changedAt, wasReserved ? 1 : 0],
    );
  }

  /** A person wants it tried again. */
  async clear(accountId: string): Promise<void> {
    await this.write(
      `update device_account set failed_logins = 0, reserved_logins = 0
        where id = $1 and failed_logins + reserved_logins > 0 returning device_id, failed_logins`,
      [accountId],
    );
  }

  private async write(update: string, values: unknown[]): Promise<number | null> {
    const [rows] = await this.db.query<[{ device_id: string; failed_logins: number }[], number]>(update, values);
    const row = rows[0];
    if (!row) return null;
    this.memory.drop(row.device_id);
    return row.failed_logins;
  }
}
