import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor } from '../platform/actor.js';
import { ADVISORY_LOCK, tryLock } from '../database/advisory-locks.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';
import { Secrets } from './secrets.js';
import { type Sweeper } from '../platform/sweeper.js';

/*
 * Rotation of keys without downtime.
 *
 * The root key: all data keys are wrapped again, in one transaction.
 *
 * The data key: a row stores the phase, and any process's sweeper continues from it:
 *
 *   announced -> switched -> resealing -> retiring -> finished
 *                                \--------------------> blocked
 *
 * announced: the new key is a row that seals nothing yet; all live processes must know it before it seals a value that
 * they must open. switched: it seals; all processes must have seen that before the old key's values are replaced, or
 * one could still seal with the old key. resealing: batches, until no value uses another key. retiring: waits for
 * values in transit or in Redis, then deletes the old keys; a foreign key of each sealed column protects a key that is
 * in use. blocked: some values do not open, so their key stays; the row lists them.
 */

/** Rows that one transaction reseals: locks stay short, and the table's notifications stay one by one (at most 100). */
const BATCH = 100;

/** A process without a heartbeat for longer has ended, or cannot reach the database either. */
const HOLDER_GONE_MS = 30_000;

/** Longer than any statement or idle transaction (60 s), and than unused sessions in Redis (5 minutes). */
export const RETIRE_AFTER_MS = 10 * 60_000;

/** The most unreadable values that are listed; with more the rotation is blocked at once. */
const UNREADABLE_MAX = 1_000;

export type RotationPhase = 'announced' | 'switched' | 'resealing' | 'retiring' | 'finished' | 'blocked';

export interface Rotation {
  readonly id: string;
  readonly what: 'root_key' | 'data_key';
  readonly phase: RotationPhase;
  /** The new data key. */
  readonly keyId: string | null;
  /** The number of resealed values or rewrapped keys. */
  readonly done: number;
  /** Values that do not open: they were altered or moved, and stay unchanged. */
  readonly unreadable: readonly { readonly table: string; readonly rowId: string }[];
  readonly startedBy: string;
  readonly startedByName: string;
  readonly startedAt: Date;
  readonly switchedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface KeysInUse {
  readonly targetRootKey: string;
  readonly keys: readonly {
    readonly id: string;
    readonly purpose: 'seal' | 'fingerprint';
    readonly active: boolean;
    readonly rootKeyId: string;
    readonly createdAt: Date;
    readonly values: number;
  }[];
  readonly holders: { readonly live: number; readonly ready: number };
  /** The latest rotation, running or ended. */
  readonly rotation: Rotation | null;
}

type EndListener = (tx: EntityManager, rotation: Rotation) => Promise<void>;

const ROTATION = `id, what, phase, key_id as "keyId", done, unreadable, started_by as "startedBy",
                  started_by_name as "startedByName", started_at as "startedAt", switched_at as "switchedAt",
                  ended_at as "endedAt"`;

const LIVE = `seen_at > clock_timestamp() - interval '${HOLDER_GONE_MS} milliseconds'`;

@Injectable()
export class KeyRotation implements Sweeper {
  readonly name = 'key-rotation';
  readonly everyMs = 1_000;
  private readonly endListeners: EndListener[] = [];

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Starts a rotation. A root key is replaced when this returns; the sweeper replaces a data key afterwards.
   * @param alongside runs in the same transaction
   * @throws AppError `rotation_running`; `rotation_needless` when all data keys are already wrapped with the target;
   *   `rotation_unready` when a live process does not have the new root key
   */
  async start(
    what: Rotation['what'],
    actor: Actor,
    alongside: (tx: EntityManager, rotation: Rotation) => Promise<void>,
  ): Promise<Rotation> {
    const started = await this.db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.keyRotation]);
      const [open] = await tx.query<unknown[]>('select from key_rotation where ended_at is null');
      if (open) throw new AppError('rotation_running');
      const done = what === 'root_key' ? await this.rewrap(tx) : 0;
      const keyId = what === 'data_key' ? await this.secrets.announceKey(tx) : null;
      const now = this.clock.now();
      const [rotation] = await tx.query<Rotation[]>(
        `insert into key_rotation (id, what, phase, key_id, done, started_by, started_by_name, started_at, ended_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${ROTATION}`,
        [
          randomUUID(),
          what,
          keyId ? 'announced' : 'finished',
          keyId,
          done,
          actor.actorId,
          actor.name,
          now,
          keyId ? null : now,
        ],
      );
      await alongside(tx, rotation!);
      return rotation!;
    });
    await this.secrets.refresh();
    return started;
  }

  /** Adds a listener that runs in the transaction that ends a rotation of data keys. */
  onEnd(listener: EndListener): void {
    this.endListeners.push(listener);
  }

  /** The keys, their use, and the progress of the latest rotation. */
  async status(): Promise<KeysInUse> {
    const [rotation] = await this.db.query<Rotation[]>(
      `select ${ROTATION} from key_rotation order by started_at desc, id limit 1`,
    );
    const keys = await this.db.query<(KeysInUse['keys'][number] & { values: number })[]>(
      `select key.id, purpose, active, root_key_id as "rootKeyId", created_at as "createdAt",
              coalesce(sum(used.count), 0)::integer as values
         from data_key key left join (${countByKey()}) as used on used.key_id = key.id
        group by key.id order by created_at, key.id`,
    );
    const [holders] = await this.db.query<{ live: number; ready: number }[]>(
      `select count(*)::integer as live,
              (count(*) filter (where seals_with = (select id from data_key where active)))::integer as ready
         from secret_holder where ${LIVE}`,
    );
    return { targetRootKey: this.secrets.targetRootKey, keys, holders: holders!, rotation: rotation ?? null };
  }

  /** Continues a rotation of data keys as far as possible. */
  async sweep(): Promise<Record<string, number>> {
    let steps = 0;
    const [open] = await this.db.query<unknown[]>('select from key_rotation where ended_at is null');
    if (!open) return { steps };
    while (await this.db.transaction((tx) => this.step(tx))) steps++;
    return { steps };
  }

  private async rewrap(tx: EntityManager): Promise<number> {
    const [unready] = await tx.query<unknown[]>(
      `select from secret_holder where ${LIVE} and not ($1 = any (root_keys)) limit 1`,
      [this.secrets.targetRootKey],
    );
    if (unready) throw new AppError('rotation_unready', { rootKeyId: this.secrets.targetRootKey });
    const count = await this.secrets.rewrap(tx);
    if (count === 0) throw new AppError('rotation_needless', { rootKeyId: this.secrets.targetRootKey });
    return count;
  }

  /** One step in one transaction. Returns whether another one may follow at once. */
  private async step(tx: EntityManager): Promise<boolean> {
    if (!(await tryLock(tx, ADVISORY_LOCK.keyRotation))) return false;
    const [rotation] = await tx.query<Rotation[]>(`select ${ROTATION} from key_rotation where ended_at is null`);
    if (!rotation) return false;
    switch (rotation.phase) {
      case 'announced':
        return this.switchKey(tx, rotation);
      case 'switched':
        if (await this.someHolder(tx, `seals_with is distinct from $1`, rotation)) return false;
        return this.move(tx, rotation, 'resealing');
      case 'resealing':
        return this.reseal(tx, rotation);
      case 'retiring':
        return this.retire(tx, rotation);
      default:
        return false;
    }
  }

  private async switchKey(tx: EntityManager, rotation: Rotation): Promise<boolean> {
    if (await this.someHolder(tx, 'not ($1 = any (knows))', rotation)) return false;
    await tx.query('update data_key set active = false where active');
    await tx.query('update data_key set active = true where id = $1', [rotation.keyId]);
    await tx.query('update key_rotation set switched_at = $2 where id = $1', [rotation.id, this.clock.now()]);
    return this.move(tx, rotation, 'switched');
  }

  private async reseal(tx: EntityManager, rotation: Rotation): Promise<boolean> {
    const keyId = rotation.keyId!;
    if (this.secrets.activeKeyId !== keyId) {
      await this.secrets.refresh(); // this process started after the switch was awaited
      return this.secrets.activeKeyId === keyId;
    }
    const excluded = rotation.unreadable.map(({ rowId }) => rowId);
    for (const location of SEALED_COLUMNS) {
      const rows = await tx.query<{ id: string; sealed: Buffer }[]>(
        `select ${location.rowId} as id, ${location.column} as sealed from ${location.table}
          where ${otherKey(location)} and not (${location.rowId} = any ($2::uuid[]))
          order by ${location.rowId} limit ${BATCH} for update skip locked`,
        [keyId, excluded],
      );
      if (rows.length > 0) return this.resealRows(tx, rotation, location, rows);
    }
    // The next pass handles rows that are locked now.
    if (await this.isNeeded(tx, keyId, excluded)) return false;
    return this.move(tx, rotation, 'retiring');
  }

  private async resealRows(
    tx: EntityManager,
    rotation: Rotation,
    { table, column, rowId }: SealedColumn,
    rows: readonly { id: string; sealed: Buffer }[],
  ): Promise<boolean> {
    const resealed: { id: string; sealed: Buffer }[] = [];
    const unreadable: { table: string; rowId: string }[] = [];
    for (const { id, sealed } of rows) {
      const location = { table, column, rowId: id };
      try {
        resealed.push({ id, sealed: this.secrets.seal(this.secrets.open(sealed, location), location) });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'secret_unreadable') throw error;
        unreadable.push({ table, rowId: id });
      }
    }
    await tx.query(
      `update ${table} set ${column} = resealed.sealed
         from unnest($1::uuid[], $2::bytea[]) as resealed (id, sealed) where ${table}.${rowId} = resealed.id`,
      [resealed.map(({ id }) => id), resealed.map(({ sealed }) => sealed)],
    );
    const named = [...rotation.unreadable, ...unreadable];
    if (named.length > UNREADABLE_MAX) return this.end(tx, rotation, 'blocked');
    await tx.query('update key_rotation set done = done + $2, unreadable = $3 where id = $1', [
      rotation.id,
      resealed.length,
      JSON.stringify(named),
    ]);
    return true;
  }

  private async retire(tx: EntityManager, rotation: Rotation): Promise<boolean> {
    if (rotation.unreadable.length > 0) return this.end(tx, rotation, 'blocked');
    if (this.clock.now().getTime() - rotation.switchedAt!.getTime() < RETIRE_AFTER_MS) return false;
    // A process that hung during the switch may have sealed with the old key since.
    if (await this.isNeeded(tx, rotation.keyId!, [])) return this.move(tx, rotation, 'resealing');
    await tx.query(`delete from data_key where purpose = 'seal' and id <> $1`, [rotation.keyId]);
    return this.end(tx, rotation, 'finished');
  }

  private async move(tx: EntityManager, { id }: Rotation, phase: RotationPhase): Promise<boolean> {
    await tx.query('update key_rotation set phase = $2 where id = $1', [id, phase]);
    return true;
  }

  private async end(tx: EntityManager, { id }: Rotation, phase: 'finished' | 'blocked'): Promise<boolean> {
    const [[ended]] = await tx.query<[Rotation[], number]>(
      `update key_rotation set phase = $2, ended_at = $3 where id = $1 returning ${ROTATION}`,
      [id, phase, this.clock.now()],
    );
    for (const listener of this.endListeners) await listener(tx, ended!);
    return false;
  }

  private async someHolder(tx: EntityManager, condition: string, { keyId }: Rotation): Promise<boolean> {
    const found = await tx.query<unknown[]>(`select from secret_holder where ${LIVE} and ${condition} limit 1`, [
      keyId,
    ]);
    return found.length > 0;
  }

  private async isNeeded(tx: EntityManager, keyId: string, excluded: readonly string[]): Promise<boolean> {
    for (const location of SEALED_COLUMNS) {
      const found = await tx.query<unknown[]>(
        `select from ${location.table} where ${otherKey(location)} and not (${location.rowId} = any ($2::uuid[])) limit 1`,
        [keyId, excluded],
      );
      if (found.length > 0) return true;
    }
    return false;
  }
}

/** SQL: sealed with another key than $1. */
const otherKey = ({ column }: SealedColumn) => `${column} is not null and ${column}_key is distinct from $1`;

function countByKey(): string {
  return SEALED_COLUMNS.map(
    ({ table, column }) => `select ${column}_key as key_id, count(*) from ${table} group by ${column}_key`,
  ).join(' union all ');
}

/** Renews this process's row among the key holders, and reloads its keys in case a notification was lost. */
export class SecretKeysSweeper implements Sweeper {
  readonly name = 'secret-keys';
  readonly everyMs = 5_000;

  constructor(
    private readonly secrets: Secrets,
    private readonly db: DataSource,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    await this.secrets.refresh();
    await this.db.query(`delete from secret_holder where seen_at < clock_timestamp() - interval '1 day'`);
    return {};
  }
}
