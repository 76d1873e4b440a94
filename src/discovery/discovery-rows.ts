import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { Clock } from '../platform/clock.js';
import { Secrets } from '../secrets/secrets.js';
import { type ProvenIdentity, type ProbeLogin } from './address-probe.js';
import { type CredentialsInput } from '../devices/devices.contract.js';
import { DiscoveryFind, DiscoveryRun } from './discovery.entity.js';
import { findKnown } from './known-devices.js';

/*
 * The rows of a search as the process that runs it writes them. Each write of a run names the epoch of its process: one
 * that lost the run, or whose run was cancelled, writes nothing, and so sends no login.
 */

/** Credentials of a run; the password is opened where it is sent. */
export interface CredentialSet {
  readonly id: string;
  readonly username: string;
  readonly sealedPassword: Buffer;
}

type RunClaim = Pick<DiscoveryRun, 'id' | 'epoch'>;

/** What a visit saw, without what a login or the registry adds. */
type Sighting = Omit<
  DiscoveryFind,
  | 'id'
  | 'discoveryId'
  | 'login'
  | 'credentialsId'
  | 'serial'
  | 'mac'
  | 'firmware'
  | 'knownDeviceId'
  | 'knownBy'
  | 'seenAt'
>;

/** A run of this epoch that has not ended; locked, so that a cancel comes before or after the write. */
const IS_MINE = `from discovery where id = $1 and epoch = $2 and state = 'running' for share`;

/** Rows are removed this long after the end of their run. */
const RETENTION_DAYS = 7;

@Injectable()
export class DiscoveryRows {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal' | 'open'>,
  ) {}

  /** Stores the credentials of a new run, sealed. */
  async storeCredentials(tx: EntityManager, runId: string, sets: readonly CredentialsInput[]): Promise<void> {
    for (const [ordinal, { username, password }] of sets.entries()) {
      const id = randomUUID();
      await tx.query(
        `insert into discovery_credentials (id, discovery_id, ordinal, username, sealed_password)
         values ($1, $2, $3, $4, $5)`,
        [id, runId, ordinal, username, this.secrets.seal(password, locationOf(id))],
      );
    }
  }

  /**
   * Runs that no process has in hand, the oldest first. Each operator has one at a time in the whole installation: the next
   * one is not among them before it has ended.
   */
  waiting(): Promise<Pick<DiscoveryRun, 'id' | 'operatorId'>[]> {
    return this.db.query(
      `select id, operator_id as "operatorId"
         from (select distinct on (operator_id) * from discovery where state in ('queued', 'running')
                order by operator_id, state = 'running' desc, created_at, id) as next
        where not exists (select from work_mark where kind = 'discovery' and row_id = next.id
                                                  and held_until > clock_timestamp())
        order by created_at, id`,
    );
  }

  /** Takes a run for this process; null when it has ended. */
  async claim(runId: string): Promise<DiscoveryRun | null> {
    return this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(
        `update discovery set state = 'running', epoch = epoch + 1, started_at = coalesce(started_at, $2)
          where id = $1 and state in ('queued', 'running') returning id`,
        [runId, this.clock.now()],
      );
      return rows.length === 0 ? null : tx.findOneByOrFail(DiscoveryRun, { id: runId });
    });
  }

  /** The credentials of a run, in their order. */
  credentials(runId: string): Promise<CredentialSet[]> {
    return this.db.query(
      `select id, username, sealed_password as "sealedPassword" from discovery_credentials
        where discovery_id = $1 and sealed_password is not null order by ordinal`,
      [runId],
    );
  }

  /** The credentials that a device accepted; null when they are gone. */
  async credentialsById(id: string): Promise<CredentialsInput | null> {
    const [found] = await this.db.query<CredentialSet[]>(
      `select id, username, sealed_password as "sealedPassword" from discovery_credentials
        where id = $1 and sealed_password is not null`,
      [id],
    );
    return found ? { username: found.username, password: this.openPassword(found) } : null;
  }

  /** @throws AppError `secret_unreadable` */
  openPassword({ id, sealedPassword }: CredentialSet): string {
    return this.secrets.open(sealedPassword, locationOf(id));
  }

  /** @returns whether the run is still of this process */
  async saveProgress({ id, epoch }: RunClaim, searched: number): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `with progress as (
         update work_mark set lost_workers = 0
          where kind = 'discovery' and row_id = $1 and lost_workers > 0
            and exists (select from discovery where id = $1 and epoch = $2 and state = 'running' and searched < $3))
       update discovery set searched = $3 where id = $1 and epoch = $2 and state = 'running' returning id`,
      [id, epoch, searched],
    );
    return rows.length > 0;
  }

  /** What was seen at an address; seen again after a crash, it keeps its id and its login. Null: the run is lost. */
  async saveSighting({ id, epoch }: RunClaim, seen: Sighting): Promise<DiscoveryFind | null> {
    return this.db.transaction(async (tx) => {
      if ((await tx.query<unknown[]>(`select ${IS_MINE}`, [id, epoch])).length === 0) return null;
      const place = { discoveryId: id, position: seen.position };
      const before = await tx.findOneBy(DiscoveryFind, place);
      const none = { login: null, credentialsId: null, serial: null, mac: null, firmware: null };
      const draft = { ...none, ...before, ...seen, ...place, id: before?.id ?? randomUUID(), seenAt: this.clock.now() };
      const known = seen.kind === 'device' ? await findKnown(tx, draft) : null;
      return tx.save(DiscoveryFind, { ...draft, knownDeviceId: known?.deviceId ?? null, knownBy: known?.by ?? null });
    });
  }

  /**
   * Records a login before it is sent.
   * @returns false when it must not be sent: the run is lost, these credentials were sent to this device before, or it
   *   accepted others
   */
  async reserveLogin({ id, epoch }: RunClaim, credentialsId: string, find: DiscoveryFind): Promise<boolean> {
    const reserved = await this.db.query<unknown[]>(
      `with mine as (select id ${IS_MINE})
       insert into discovery_login (credentials_id, address, identity, at)
       select $3, $4, $5, $6 from mine
        where not exists (select from discovery_login login join discovery_credentials on id = login.credentials_id
                           where discovery_id = $1 and address = $4 and outcome = 'granted')
       on conflict do nothing returning address`,
      [id, epoch, credentialsId, find.address, find.identifier ?? find.address, this.clock.now()],
    );
    return reserved.length > 0;
  }

  /** The outcome of a login, with what the device showed after it. */
  async saveLogin(
    find: DiscoveryFind,
    credentialsId: string,
    outcome: ProbeLogin['outcome'],
    identity: ProvenIdentity | null,
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query('update discovery_login set outcome = $3 where credentials_id = $1 and address = $2', [
        credentialsId,
        find.address,
        outcome,
      ]);
      const proven = identity && { ...identity, model: identity.model ?? find.model };
      const known = identity ? await findKnown(tx, { ...find, ...identity }) : null;
      await tx.update(
        DiscoveryFind,
        { id: find.id },
        {
          login: outcome,
          ...(outcome === 'granted' ? { credentialsId } : {}),
          ...proven,
          ...(known ? { knownDeviceId: known.deviceId, knownBy: known.by } : {}),
        },
      );
    });
  }

  /**
   * Ends a run, with its audit entry. Passwords that no device accepted go at once.
   * @param by the epoch of this process; null: whatever process has it
   * @returns false when it had ended, or another process has it
   */
  async end(
    tx: EntityManager,
    { id, epoch }: { readonly id: string; readonly epoch: number | null },
    state: 'finished' | 'cancelled' | 'failed',
    failure: DiscoveryRun['failure'] = null,
  ): Promise<boolean> {
    const [rows] = await tx.query<[unknown[], number]>(
      `update discovery set state = $3, failure = $4, ended_at = $5,
              searched = case when $3 = 'finished' then addresses else searched end
        where id = $1 and (epoch = $2 or $2::integer is null) and state in ('queued', 'running') returning id`,
      [id, epoch, state, failure, this.clock.now()],
    );
    if (rows.length === 0) return false;
    await tx.query(
      `update discovery_credentials set sealed_password = null
        where discovery_id = $1 and not exists (select from discovery_find where credentials_id = discovery_credentials.id)`,
      [id],
    );
    return true;
  }

  /** As `end`, for the process that runs it: in the name of its starter. */
  async endOwn(run: DiscoveryRun, state: 'finished' | 'failed', failure: DiscoveryRun['failure'] = null) {
    await this.db.transaction(async (tx) => {
      if (!(await this.end(tx, run, state, failure))) return;
      const actor = {
        actorId: run.createdBy,
        name: run.createdByName,
        requestId: null,
        address: null,
        reason: null,
      };
      const facts = { state, ...(failure ? { failure } : {}), ...(await this.counts(tx, run.id)) };
      await this.audit.record(
        tx,
        { actor, action: 'discovery.end', subject: `discovery:${run.id}`, facts },
        state === 'finished' ? 'succeeded' : 'failed',
      );
    });
  }

  /** Ends a run that crashed three processes. */
  async quarantine(runId: string): Promise<void> {
    const run = await this.claim(runId);
    if (run) await this.endOwn(run, 'failed', 'quarantined');
  }

  /** Old runs go, with all that belongs to them. */
  async removeOld(): Promise<number> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `delete from discovery where ended_at < $1::timestamptz - $2 * interval '1 day' returning id`,
      [this.clock.now(), RETENTION_DAYS],
    );
    return rows.length;
  }

  private async counts(tx: EntityManager, runId: string): Promise<Record<string, number>> {
    const [counted] = await tx.query<[Record<string, number>]>(
      `select (select count(*)::int from discovery_find where discovery_id = $1 and kind = 'device') as devices,
              (select count(*)::int from discovery_login join discovery_credentials on id = credentials_id
                where discovery_id = $1) as logins`,
      [runId],
    );
    return counted;
  }
}

const locationOf = (rowId: string) => ({ table: 'discovery_credentials', column: 'sealed_password', rowId });
