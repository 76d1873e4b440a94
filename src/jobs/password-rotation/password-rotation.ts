import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { PATHS } from '../../device-api/contract.js';
import { type AccountPurpose, type DeviceAccount } from '../../devices/registry/device.entity.js';
import { DevicesService, passwordLocation } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { Secrets } from '../../secrets/secrets.js';
import { type CallContext, DeviceCalls } from '../../proxy/calls/device-calls.js';
import { SingleLogins } from '../../proxy/sessions/single-logins.js';

/*
 * Rotates the password of an account that the gateway itself uses. The next password is sealed beside the present one
 * before it is sent, and replaces it when a login with it has succeeded. So the gateway always has the password that
 * the device accepts. A pending password of an unfinished job stays sealed for the next job.
 *
 * During a change no session logs in (`changingUntil`): it is unknown which of the two passwords would be refused. The
 * logins that find out are counted before they are sent. Each job makes at most two; one whose answer was lost counts
 * as refused.
 */

/** Logins of one job. A third refusal would be the last login of the gateway with a password. */
const MAX_LOGINS = 2;

/** Longer than a job needs from the change to its proof when the device answers; then logins resume. */
const CHANGING_MS = 10 * 60_000;

/** Login errors that prove that the device did not refuse the password. */
const NOT_REFUSED: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_tls_failed',
  'device_trust_changed',
  'device_login_failed',
  'device_not_found',
  'identity_mismatch',
  'secret_unreadable',
]);

/** A proven password ends the state `credentials_refused`, with a line in the device's history. */
const ACCEPTED_AGAIN = `
  with back as (
    update device set state = 'online', state_reason = null, updated_at = $2, version = version + 1
     where id = $1 and state = 'credentials_refused' returning id
  )
  insert into device_change (device_id, at, field, before, after)
  select id, $2::timestamptz, 'state', 'credentials_refused', 'online' from back`;

/** An account during a rotation. */
export interface RotatingAccount extends Readonly<
  Pick<DeviceAccount, 'id' | 'deviceId' | 'purpose' | 'username' | 'failedLogins'>
> {
  /** The job that made the pending password; null when there is none. */
  readonly pendingJob: string | null;
  /** The job that made the present password. */
  readonly rotatedBy: string | null;
}

interface SealedAccount extends RotatingAccount {
  readonly sealedPassword: Buffer;
  readonly sealedPending: Buffer | null;
  readonly triedBy: string | null;
  /** The passwords that the device refused to the job `triedBy`. */
  readonly refused: readonly ('pending' | 'present')[];
}

/** `spent`: not tried, since one more refusal might reach the limit. */
export type PasswordVerdict = 'accepted' | 'refused' | 'spent';

@Injectable()
export class PasswordRotation {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal' | 'open' | 'fingerprint'>,
    @Inject(DevicesService)
    private readonly devices: Pick<DevicesService, 'get' | 'openPassword' | 'changed' | 'storeObservations'>,
    @Inject(DeviceCalls) private readonly calls: Pick<DeviceCalls, 'call'>,
    @Inject(SingleLogins) private readonly logins: Pick<SingleLogins, 'prove'>,
  ) {}

  /** The present account; null when the device has none for this purpose. */
  async find(deviceId: string, purpose: AccountPurpose): Promise<RotatingAccount | null> {
    return this.read(this.db.manager, deviceId, purpose);
  }

  /**
   * Seals the next password of an account, once for each job: the first one stays.
   * @param make called only when this job has none
   */
  async prepare(deviceId: string, purpose: AccountPurpose, jobId: string, make: () => Promise<string>): Promise<void> {
    const account = await this.known(deviceId, purpose);
    if (account.pendingJob === jobId) return;
    await this.db.query(
      `update device_account set sealed_pending = $2, pending_job = $3, changing_until = null
        where id = $1 and pending_job is distinct from $3`,
      [account.id, this.secrets.seal(await make(), pendingLocation(account.id)), jobId],
    );
    this.devices.changed(deviceId);
  }

  /**
   * Sets the pending password on the device. From here no session logs in, until the rotation ends or `CHANGING_MS`
   * have passed; existing sessions continue.
   * @param userId the account's id on the device
   * @throws AppError as `DeviceCalls.call`
   */
  async change(deviceId: string, purpose: AccountPurpose, userId: string, caller: CallContext): Promise<void> {
    const account = await this.known(deviceId, purpose);
    const password = this.pending(account);
    const { device, account: main } = await this.devices.get(deviceId);
    const isOwn = device.profile !== 'spec' && main?.username === account.username;
    // observed-devices.md 3: changing the own password needs the present one.
    const own = isOwn ? { current_password: this.devices.openPassword(main), password_confirm: password } : {};
    await this.hold(account, new Date(this.clock.now().getTime() + CHANGING_MS));
    try {
      const path = `${PATHS.users}/${encodeURIComponent(userId)}`;
      const json = { data: { password, ...own } };
      await this.calls.call(deviceId, { method: 'PUT', path, json }, { rotatesPassword: true, ...caller });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'device_outcome_unknown') await this.hold(account, null);
      throw error;
    }
  }

  /**
   * Whether the device accepts a login with the pending or the present password.
   * @throws AppError of the call; `device_login_failed` when the answer is neither yes nor no
   */
  async prove(
    deviceId: string,
    purpose: AccountPurpose,
    which: 'pending' | 'present',
    jobId: string,
  ): Promise<PasswordVerdict> {
    const account = await this.known(deviceId, purpose);
    const password =
      which === 'pending'
        ? this.pending(account)
        : this.secrets.open(account.sealedPassword, passwordLocation(account.id));
    const isOurs = account.triedBy === jobId;
    if (isOurs && account.refused.includes(which)) return 'refused';
    if (!(await this.reserve(account.id, jobId))) return 'spent';
    let isAccepted: boolean;
    try {
      isAccepted = await this.logins.prove(deviceId, account.username, password);
    } catch (error) {
      if (error instanceof AppError && NOT_REFUSED.has(error.code)) await this.release(account.id);
      throw error;
    }
    if (!isAccepted) {
      // A crash from here must not cost another login with it.
      await this.db.query(`update device_account set pending_refused = pending_refused || $2::text where id = $1`, [
        account.id,
        which,
      ]);
      return 'refused';
    }
    await this.release(account.id);
    return 'accepted';
  }

  /**
   * Makes the pending password the present one, for every account of the gateway with this name on the device.
   * @returns false when the account has changed: the pending password stays pending
   */
  async activate(
    deviceId: string,
    purpose: AccountPurpose,
    username: string,
    jobId: string,
    actor: Actor,
  ): Promise<boolean> {
    const isDone = await this.db.transaction(async (tx) => {
      const account = await this.read(tx, deviceId, purpose, 'for update');
      if (account?.username !== username) return false;
      if (account.sealedPending === null) return account.rotatedBy === jobId;
      const password = this.pending(account);
      const now = this.clock.now();
      const namesakes = await tx.query<{ id: string }[]>(
        'select id from device_account where device_id = $1 and username = $2 for update',
        [deviceId, username],
      );
      for (const { id } of namesakes) {
        await tx.query(
          `update device_account
              set sealed_password = $2, changed_at = $3, proven_for = $3, failed_logins = 0, reserved_logins = 0,
                  sealed_pending = null, pending_job = null, changing_until = null, rotated_by = $4
            where id = $1`,
          [id, this.secrets.seal(password, passwordLocation(id)), now, account.pendingJob],
        );
      }
      await tx.query(ACCEPTED_AGAIN, [deviceId, now]);
      await this.audit.record(tx, {
        actor,
        action: 'device.credentials',
        subject: `device:${deviceId}`,
        deviceId,
        jobId,
        facts: { purpose, username, password: this.secrets.fingerprint(password), why: 'rotation' },
      });
      return true;
    });
    this.devices.changed(deviceId);
    return isDone;
  }

  /** Ends an unfinished rotation: sessions may log in again; the pending password stays. */
  async stop(deviceId: string, purpose: AccountPurpose): Promise<void> {
    const account = await this.read(this.db.manager, deviceId, purpose);
    if (account) await this.hold(account, null);
  }

  /** Drops the pending password: the device refused it, or accepts the present one. */
  async drop(deviceId: string, purpose: AccountPurpose): Promise<void> {
    const account = await this.read(this.db.manager, deviceId, purpose);
    if (!account) return;
    await this.db.query('update device_account set sealed_pending = null, pending_job = null where id = $1', [
      account.id,
    ]);
    await this.hold(account, null);
  }

  /** The device refused both passwords: the present one is not tried again until an operator allows it. */
  async noteRefused(deviceId: string, purpose: AccountPurpose): Promise<void> {
    const { id } = await this.known(deviceId, purpose);
    await this.db.query(
      `update device_account set failed_logins = greatest(failed_logins, 1), proven_for = null, changing_until = null
        where id = $1`,
      [id],
    );
    const stateReason = 'the device accepts neither the present password nor the next one';
    await this.devices.storeObservations(deviceId, { state: 'credentials_refused', stateReason });
    this.devices.changed(deviceId);
  }

  private async hold({ deviceId, username }: RotatingAccount, until: Date | null): Promise<void> {
    await this.db.query('update device_account set changing_until = $3 where device_id = $1 and username = $2', [
      deviceId,
      username,
      until,
    ]);
    this.devices.changed(deviceId);
  }

  private async reserve(accountId: string, jobId: string): Promise<boolean> {
    const sofar = 'case when pending_tried_by = $2 then pending_logins else 0 end';
    const [rows] = await this.db.query<[unknown[], number]>(
      `update device_account
          set pending_logins = ${sofar} + 1, pending_tried_by = $2,
              pending_refused = case when pending_tried_by = $2 then pending_refused else '{}' end
        where id = $1 and ${sofar} < ${MAX_LOGINS} returning id`,
      [accountId, jobId],
    );
    return rows.length > 0;
  }

  private async release(accountId: string): Promise<void> {
    await this.db.query('update device_account set pending_logins = greatest(pending_logins - 1, 0) where id = $1', [
      accountId,
    ]);
  }

  /** @throws AppError `device_has_no_credentials` when the account was removed */
  private async known(deviceId: string, purpose: AccountPurpose): Promise<SealedAccount> {
    const account = await this.read(this.db.manager, deviceId, purpose);
    if (!account) throw new AppError('device_has_no_credentials');
    return account;
  }

  private async read(
    tx: EntityManager,
    deviceId: string,
    purpose: AccountPurpose,
    lock = '',
  ): Promise<SealedAccount | null> {
    const [row] = await tx.query<SealedAccount[]>(
      `select id, device_id as "deviceId", purpose, username, failed_logins as "failedLogins",
              pending_job as "pendingJob", rotated_by as "rotatedBy", sealed_password as "sealedPassword",
              sealed_pending as "sealedPending", pending_tried_by as "triedBy", pending_refused as refused
         from device_account where device_id = $1 and purpose = $2 ${lock}`,
      [deviceId, purpose],
    );
    return row ?? null;
  }

  /** @throws AppError `device_has_no_credentials` when another rotation or an operator has ended this one */
  private pending({ id, sealedPending }: SealedAccount): string {
    if (sealedPending === null) throw new AppError('device_has_no_credentials');
    return this.secrets.open(sealedPending, pendingLocation(id));
  }
}

const pendingLocation = (accountId: string) => ({
  table: 'device_account',
  column: 'sealed_pending',
  rowId: accountId,
});
