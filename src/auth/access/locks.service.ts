import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { requireRoom } from '../../database/row-limits.js';
import { errorFields, LOG } from '../../platform/log.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { newestRows } from '../../http/newest-first.js';
import { type Page } from '../../http/page.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { keepAdministrator } from '../rights/administrators.js';
import { inSight } from '../rights/in-sight.js';
import { type Lock, type LockInput, type LockQuery } from './locks.contract.js';
import { type LockSubject, lockedError, LockTable } from './lock-table.js';
import { requireSelection } from '../../selectors/selection.js';
import { RightsService } from '../rights/rights.service.js';
import { type Rights, type ScopedDevice } from '../rights/rights.js';

/*
 * Locks of a person, a key, a device, the devices of a selector, or all writes. Each process has all active locks in
 * memory. It reads them again at each notification, and each second, since the connection for notifications can die
 * silently. `onChange` tells running work of a new lock, so that it can end.
 */

const COLUMNS = `id, kind, target, reason, created_at as "createdAt", created_by as "createdBy",
                 created_by_name as "createdByName", ends_at as "endsAt", lifted_at as "liftedAt"`;

@Injectable()
export class Locks implements Sweeper, OnApplicationBootstrap {
  readonly name = 'locks';
  readonly everyMs = 1_000;

  private table = new LockTable([], () => null);
  /** Reads of the locks are numbered; the table is from read number `latestRead`. */
  private reads = 0;
  private latestRead = 0;
  private inForce = '';
  private readonly listeners = new Set<() => void>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) notifications: PgNotifications,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(LOG) private readonly log: Logger,
  ) {
    notifications.on('locks', () => void this.readSoon());
  }

  /** No request is answered before the locks are loaded. */
  async onApplicationBootstrap(): Promise<void> {
    await this.read();
  }

  /** @throws AppError `locked` when this person or the used key is locked */
  refuseActor(actor: LockSubject): void {
    throwIf(this.table.isEmpty ? null : this.table.ofActor(actor, this.clock.now()));
  }

  /** @throws AppError `locked` when this device is locked */
  refuseDevice(device: ScopedDevice): void {
    throwIf(this.deviceLock(device));
  }

  /** @throws AppError `locked` when all writes are locked */
  refuseWrites(): void {
    throwIf(this.table.isEmpty ? null : this.table.ofAllWrites(this.clock.now()));
  }

  isLocked(actor: LockSubject, device: ScopedDevice | null): boolean {
    const now = this.clock.now();
    return this.table.ofActor(actor, now) !== null || (device !== null && this.table.ofDevice(device, now) !== null);
  }

  deviceLock(device: ScopedDevice): Lock | null {
    return this.table.isEmpty ? null : this.table.ofDevice(device, this.clock.now());
  }

  /** The locked devices, as a condition on table `device`; adds its values to `values`. */
  devicesSql(values: unknown[]): string {
    return this.table.devicesSql(values, this.clock.now());
  }

  /** The lock that stops writing work of `author` on a device: of the person, the key, the device, or all writes. */
  workLock(author: LockSubject | null, device: ScopedDevice): Lock | null {
    return this.lockOfAuthor(author) ?? this.deviceLock(device);
  }

  /** The lock that stops writes of `author` on any device: of the person, the key, or all writes. */
  lockOfAuthor(author: LockSubject | null): Lock | null {
    if (this.table.isEmpty) return null;
    const now = this.clock.now();
    return (author && this.table.ofActor(author, now)) ?? this.table.ofAllWrites(now);
  }

  /**
   * The lock that stops a call of `author`: of the person, the key, all writes, or the device.
   * @param device null: whether it stops calls on all devices
   */
  lockOfCall(author: LockSubject, device: ScopedDevice | null, writes: boolean): Lock | null {
    if (this.table.isEmpty) return null;
    const now = this.clock.now();
    const general = this.table.ofActor(author, now) ?? (writes ? this.table.ofAllWrites(now) : null);
    return general ?? (device ? this.table.ofDevice(device, now) : null);
  }

  /** For running work that checks whether it may continue. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** @throws AppError `selection_changed` when a selector names other devices than the caller saw, `invalid_selector` */
  async requireSelection(selector: string, expectedDigest: string | undefined, rights: Rights): Promise<void> {
    if (expectedDigest === undefined) return;
    const values: unknown[] = [];
    const now = this.clock.now();
    const selected = this.rights.readSelector(selector).sql(values, now);
    const devices = await this.db.query<{ id: string }[]>(
      `select id from device where ${selected} and ${inSight(rights, 'device.id', values, now)}`,
      values,
    );
    requireSelection(devices, expectedDigest);
  }

  /**
   * Sets a lock, which all processes apply within two seconds.
   * @param input its target for a device is the device's id, not another reference
   * @throws AppError `invalid_selector`, `invalid_input`, `operator_not_found`, `api_key_not_found`,
   *   `last_administrator`, `too_many_saved`
   */
  async lock(input: LockInput, actor: Actor): Promise<Lock> {
    const now = this.clock.now();
    if (input.endsAt && input.endsAt <= now) {
      throw new AppError('invalid_input', { errors: [{ pointer: '/body/endsAt', detail: 'must be in the future' }] });
    }
    const target = input.kind === 'writes' ? null : input.target;
    if (input.kind === 'selector') this.rights.checkSelector(target);
    const id = randomUUID();
    const lock = await this.db.transaction(async (tx) => {
      if (input.kind === 'operator') await requireRow(tx, 'operator', input.target, 'operator_not_found');
      if (input.kind === 'key') await requireRow(tx, 'api_key', input.target, 'api_key_not_found');
      await requireRoom(tx, 'lock', 'lifted_at is null and (ends_at is null or ends_at > $1)', [now]);
      const insert = () =>
        tx.query<Lock[]>(
          `insert into lock (id, kind, target, reason, created_at, created_by, created_by_name, ends_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
          [id, input.kind, target, input.reason, now, actor.actorId, actor.name, input.endsAt],
        );
      const isActor = input.kind === 'operator' || input.kind === 'key';
      const [row] = await (isActor ? keepAdministrator(tx, now, insert) : insert());
      await this.audit.record(tx, {
        actor,
        action: 'lock.set',
        subject: `lock:${id}`,
        ...(input.kind === 'device' ? { deviceId: input.target } : {}),
        facts: { kind: input.kind, target, reason: input.reason, endsAt: input.endsAt },
      });
      return row!;
    });
    await this.readSoon();
    return lock;
  }

  /** @throws AppError `lock_not_found`, also for one that has ended or whose device the caller cannot see */
  async lift(id: string, actor: Actor & { readonly rights: Rights }): Promise<void> {
    await this.db.transaction(async (tx) => {
      const values: unknown[] = [id, this.clock.now()];
      const seen = this.inSight(actor.rights, values);
      const [rows] = await tx.query<[Lock[], number]>(
        `update lock set lifted_at = $2
          where id = $1 and lifted_at is null and (ends_at is null or ends_at > $2) and ${seen}
         returning ${COLUMNS}`,
        values,
      );
      const [lock] = rows;
      if (!lock) throw new AppError('lock_not_found');
      await this.audit.record(tx, {
        actor,
        action: 'lock.lift',
        subject: `lock:${id}`,
        ...(lock.kind === 'device' ? { deviceId: lock.target! } : {}),
        facts: { kind: lock.kind, target: lock.target, reason: lock.reason },
      });
    });
    await this.readSoon();
  }

  /** Newest first, without locks of devices that the caller cannot see. */
  list(query: LockQuery, rights: Rights): Promise<Page<Lock>> {
    const values: unknown[] = [query.all, this.clock.now()];
    const sql = `select ${COLUMNS} from lock
      where ($1 or (lifted_at is null and (ends_at is null or ends_at > $2))) and ${this.inSight(rights, values)}`;
    return newestRows<Lock>(this.db, 'locks', query, { sql, values, time: ['created_at', (lock) => lock.createdAt] });
  }

  private inSight(rights: Rights, values: unknown[]): string {
    const device = `case when kind = 'device' then target::uuid end`;
    return `(kind <> 'device' or ${inSight(rights, device, values, this.clock.now())})`;
  }

  async sweep(): Promise<Record<string, number>> {
    await this.read();
    return {};
  }

  /** A failed read does not undo the committed change; the next read is a second away. */
  private readSoon(): Promise<void> {
    return this.read().catch((error: unknown) =>
      this.log.warn(errorFields(error), 'Locks could not be read; the gateway will retry'),
    );
  }

  /** Applies the locks that it reads, unless a read that began later has ended before. */
  private async read(): Promise<void> {
    const read = ++this.reads;
    const locks = await this.db.query<Lock[]>(
      `select ${COLUMNS} from lock where lifted_at is null and (ends_at is null or ends_at > $1) order by created_at, id`,
      [this.clock.now()],
    );
    if (read < this.latestRead) return; // a read that began later ended earlier and knows more
    this.latestRead = read;
    this.table = new LockTable(locks, (text) => this.rights.findSelector(text));
    const ids = locks.map(({ id }) => id).join(' ');
    if (ids === this.inForce) return;
    this.inForce = ids;
    for (const listener of this.listeners) listener();
  }
}

function throwIf(lock: Lock | null): void {
  if (lock) throw lockedError(lock);
}

async function requireRow(
  tx: EntityManager,
  table: 'operator' | 'api_key',
  id: string,
  missing: 'operator_not_found' | 'api_key_not_found',
): Promise<void> {
  const rows = await tx.query<unknown[]>(`select from ${table} where id = $1`, [id]);
  if (rows.length === 0) throw new AppError(missing);
}
