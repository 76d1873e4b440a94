import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { storableJson } from '../platform/storable.js';
import { GroupCommit } from './group-commit.js';
import { type AuditOutcomeName } from './audit.entity.js';

/*
 * The audit says who set out to do what, and how it ended.
 *
 * A change of the gateway's own rows is one fact: entry and outcome are written in the transaction of the change, so
 * the change cannot be committed without them. A write on a device is two: `open` commits the intent before the first
 * byte goes out, `close` adds the outcome after the answer. What has no outcome was under way when a process died.
 */

/** What is to be remembered. `facts` hold no secret: what was secret is replaced by `Secrets.fingerprint`. */
export interface AuditFact {
  readonly actor: Actor;
  readonly action: `${string}.${string}`;
  readonly subject: string;
  readonly deviceId?: string;
  readonly jobId?: string;
  readonly facts?: Record<string, unknown>;
}

interface EntryRow {
  readonly id: string;
  readonly openedAt: Date;
  readonly fact: AuditFact;
}

interface OutcomeRow {
  readonly entryId: string;
  readonly closedAt: Date;
  readonly outcome: AuditOutcomeName;
  readonly facts: Record<string, unknown>;
}

@Injectable()
export class Audit {
  private readonly entries: GroupCommit<EntryRow>;
  private readonly outcomes: GroupCommit<OutcomeRow>;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.entries = new GroupCommit((rows) => insertEntries(db.manager, rows));
    this.outcomes = new GroupCommit((rows) => insertOutcomes(db.manager, rows));
  }

  /** Writes a change of our own rows into the transaction that makes it: both are committed, or neither. */
  async record(tx: EntityManager, fact: AuditFact, outcome: AuditOutcomeName = 'succeeded'): Promise<void> {
    await this.recordAll(tx, [fact], outcome);
  }

  /** As `record`, for changes that are made in bulk: two statements for any number of facts. */
  async recordAll(
    tx: EntityManager,
    facts: readonly AuditFact[],
    outcome: AuditOutcomeName = 'succeeded',
  ): Promise<void> {
    const now = this.clock.now();
    const entries = facts.map((fact) => ({ id: randomUUID(), openedAt: now, fact }));
    await insertEntries(tx, entries);
    await insertOutcomes(
      tx,
      entries.map(({ id }) => ({ entryId: id, closedAt: now, outcome, facts: {} })),
    );
  }

  /**
   * Commits the intent of a write on a device.
   * @returns the id to close it with
   * @throws AppError `database_unavailable`: the write must not be sent
   */
  async open(fact: AuditFact): Promise<string> {
    const id = randomUUID();
    try {
      await this.entries.add({ id, openedAt: this.clock.now(), fact });
    } catch (cause) {
      throw new AppError('database_unavailable', {}, { cause });
    }
    return id;
  }

  /**
   * As `open`, for several intents of one request: all are committed, or none is.
   * @returns their ids, in order
   */
  async openAll(facts: readonly AuditFact[]): Promise<string[]> {
    if (facts.length === 1) return [await this.open(facts[0]!)];
    const now = this.clock.now();
    const entries = facts.map((fact) => ({ id: randomUUID(), openedAt: now, fact }));
    try {
      await insertEntries(this.db.manager, entries);
    } catch (cause) {
      throw new AppError('database_unavailable', {}, { cause });
    }
    return entries.map(({ id }) => id);
  }

  /** Adds the outcome. An entry that stays open because the database went away is closed as `unknown` by the sweeper. */
  async close(entryId: string, outcome: AuditOutcomeName, facts: Record<string, unknown> = {}): Promise<void> {
    await this.outcomes.add({ entryId, closedAt: this.clock.now(), outcome, facts });
  }

  /** Waits until everything that was handed in is committed. */
  async drain(): Promise<void> {
    await Promise.all([this.entries.drain(), this.outcomes.drain()]);
  }
}

/** Columns as arrays: one statement for any number of rows (`unnest`), the fastest way in by measurement. */
async function insertEntries(tx: EntityManager, rows: readonly EntryRow[]): Promise<void> {
  await tx.query(
    `insert into audit_entry
       (id, opened_at, action, actor, actor_name, request_id, address, reason, device_id, job_id, subject, facts)
     select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[],
                          $7::text[], $8::text[], $9::uuid[], $10::uuid[], $11::text[], $12::jsonb[])`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.openedAt),
      rows.map(({ fact }) => fact.action),
      rows.map(({ fact }) => fact.actor.subject),
      rows.map(({ fact }) => fact.actor.name),
      rows.map(({ fact }) => fact.actor.requestId),
      rows.map(({ fact }) => fact.actor.address),
      rows.map(({ fact }) => fact.actor.reason),
      rows.map(({ fact }) => fact.deviceId ?? null),
      rows.map(({ fact }) => fact.jobId ?? null),
      rows.map(({ fact }) => fact.subject),
      rows.map(({ fact }) => storableJson(fact.facts ?? {})),
    ],
  );
}

/** The first outcome stands: a late one (the sweeper was quicker) is dropped. */
async function insertOutcomes(tx: EntityManager, rows: readonly OutcomeRow[]): Promise<void> {
  await tx.query(
    `insert into audit_outcome (entry_id, closed_at, outcome, facts)
     select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::jsonb[])
     on conflict do nothing`,
    [
      rows.map((row) => row.entryId),
      rows.map((row) => row.closedAt),
      rows.map((row) => row.outcome),
      rows.map((row) => storableJson(row.facts)),
    ],
  );
}
