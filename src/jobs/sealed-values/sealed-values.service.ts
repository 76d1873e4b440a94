import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull, MoreThan, Not } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type AuditAction } from '../../audit/entries/audit-actions.js';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { type Actor, systemActor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { newestFirst } from '../../http/newest-first.js';
import { type Page, type PageQuery } from '../../http/page.js';
import { Secrets } from '../../secrets/secrets.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type JobRow } from '../rows/job.entity.js';
import { withinScope } from '../../devices/registry/within-scope.js';
import { policySubject, SealedValue } from './sealed-value.entity.js';
import { refuseMarkersIn } from '../../proxy/calls/marker-check.js';

/*
 * Secrets by name. A job's spec, cursor and intent are stored in clear and shown, so a password or a private key is never
 * in them: it is sealed here, the job names it by id, and it is opened into the one request that needs it. What a
 * job made (a password of an account, a private key that was asked for) an operator who may can open afterwards.
 */

/** How long a value that a job made is stored, so that a caller can fetch it. */
const MADE_DAYS = 90;

/** A hundred years: what lasts as long as the backups that it opens. */
const FOR_EVER_DAYS = 36_500;

const DAY_MS = 24 * 60 * 60_000;

/** Far more than jobs of a month need; a limit against a caller that loops. */
const MAX_GIVEN = 10_000;

/** What a copy is for. */
export type CopyOwner = { readonly policyId: string } | { readonly templateId: string };

export interface SealedFilter extends PageQuery {
  readonly deviceId?: string | undefined;
  readonly jobId?: string | undefined;
}

@Injectable()
export class SealedValuesService implements Sweeper {
  readonly name = 'sealed-values';
  readonly everyMs = 60 * 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal' | 'open' | 'fingerprint'>,
  ) {}

  /**
   * Takes a secret from an operator, for jobs in their name.
   * @throws AppError `too_many_sealed_values`, `redaction_marker`
   */
  async give(input: { label: string; value: string; days: number }, actor: Principal): Promise<SealedValue> {
    refuseMarkersIn(input.value);
    return this.db.transaction(async (tx) => {
      if ((await tx.countBy(SealedValue, { createdBy: actor.actorId })) >= MAX_GIVEN) {
        throw new AppError('too_many_sealed_values', { limit: MAX_GIVEN });
      }
      const row = this.row(input.label, input.value, input.days, actor, { operatorId: actor.operatorId });
      await tx.insert(SealedValue, row);
      await this.audit.record(tx, {
        actor,
        action: 'sealed_value.give',
        subject: `sealed_value:${row.id}`,
        facts: { label: row.label, content: this.secrets.fingerprint(input.value) },
      });
      return row;
    });
  }

  /** Newest first, without the values: the caller's own, and those that jobs made for devices that the caller sees. */
  async list(filter: SealedFilter, rights: Rights): Promise<Page<SealedValue>> {
    const rows = this.db.manager
      .createQueryBuilder(SealedValue, 'value')
      .where('value.expires_at > :now', { now: this.clock.now() });
    const scope = rights.scope('device.read');
    if (scope) {
      const { sql, parameters } = withinScope(scope, 'value.device_id', this.clock.now());
      rows.andWhere(`(value.job_id is null or ${sql})`, parameters);
    }
    if (!rights.allows(OPENS)) rows.andWhere('value.policy_id is null and value.template_id is null');
    return newestFirst(rows, 'sealed-values', filter, { device_id: filter.deviceId, job_id: filter.jobId });
  }

  /**
   * Opens a secret for an operator; the audit knows it before it goes out.
   * @throws AppError `sealed_value_not_found`, also for one of a device out of sight; `secret_unreadable`
   */
  async open(valueId: string, actor: Principal): Promise<SealedValue & { value: string }> {
    const row = await this.findInSight(valueId, actor);
    const value = this.secrets.open(row.sealedContent, locationOf(row.id));
    await this.db.transaction((tx) => this.audit.record(tx, factOf(row, 'sealed_value.open', actor)));
    return { ...row, value };
  }

  /** @throws AppError `sealed_value_not_found`; `forbidden` for one that the actor neither gave nor may open */
  async remove(valueId: string, actor: Principal): Promise<void> {
    const row = await this.findInSight(valueId, actor);
    if (row.operatorId !== actor.operatorId) actor.rights.require(OPENS);
    await this.db.transaction(async (tx) => {
      await tx.delete(SealedValue, { id: valueId });
      await this.audit.record(tx, factOf(row, 'sealed_value.remove', actor));
    });
  }

  /**
   * Keeps a secret that a job makes. A step that is repeated gets the value that it made first.
   * @param make called only when there is none
   * @returns its id
   */
  async sealFor(job: JobRow, name: string, label: string, make: () => string): Promise<string> {
    const known = await this.db.manager.findOneBy(SealedValue, { jobId: job.id, name });
    if (known) return known.id;
    const actor = { actorId: job.startedBy, name: job.startedByName };
    const row = this.row(label, make(), MADE_DAYS, actor, { deviceId: job.deviceId, jobId: job.id, name });
    await this.db.createQueryBuilder().insert().into(SealedValue).values(row).orIgnore().execute();
    return (await this.db.manager.findOneByOrFail(SealedValue, { jobId: job.id, name })).id;
  }

  /**
   * Opens a secret into a job's request to its device. Who starts a job chooses the device and the path, and would get to
   * see it: so only its giver's jobs use what an operator gave, only jobs of its device what a job made, and only backups
   * by its policy the copy of a policy, and only `reconcile`, whose changes are those of a published template, its secrets. The right to name it was checked at the start (`spec-rights.ts`).
   * @throws AppError `sealed_value_not_found`, `secret_unreadable`
   */
  async openFor(job: JobRow, valueId: string): Promise<string> {
    const row = await this.get(valueId);
    if (!isFor(job, row)) throw new AppError('sealed_value_not_found');
    return this.secrets.open(row.sealedContent, locationOf(row.id));
  }

  /**
   * The passphrase that a backup was encrypted with, for a restore: the copy of its policy, if the backup is of the job's
   * own device. Null when the backup is in clear, or of another device, or made with a value that a person gave.
   * @throws AppError `secret_unreadable`
   */
  async passphraseFor({ kind, deviceId }: JobRow, backupId: string): Promise<string | null> {
    if (kind !== 'restore') return null;
    const row = await this.db.manager
      .createQueryBuilder(SealedValue, 'value')
      .addSelect('value.sealedContent')
      .where('value.policy_id is not null')
      .andWhere(
        `value.id::text = (select job.spec->>'sealedValue' from artifact join job on job.id = artifact.job_id
                            where artifact.id = :backupId and artifact.device_id = :deviceId)`,
        { backupId, deviceId },
      )
      .getOne();
    return row && this.secrets.open(row.sealedContent, locationOf(row.id));
  }

  /** What is known of a sealed value, without what it holds; null when there is none. */
  find(valueId: string): Promise<Omit<SealedValue, 'sealedContent'> | null> {
    return this.db.manager.findOneBy(SealedValue, { id: valueId, expiresAt: MoreThan(this.clock.now()) });
  }

  /**
   * Copies a value that the actor gave into one without an end, for the backups of a policy or for a template alone.
   * @returns the id of the copy
   * @throws AppError `sealed_value_not_found`, also for a value that a job made or that another operator gave
   */
  async adopt(tx: EntityManager, valueId: string, owner: CopyOwner, label: string, actor: Principal): Promise<string> {
    const given = await this.get(valueId);
    if (given.operatorId !== actor.operatorId) throw new AppError('sealed_value_not_found');
    const value = this.secrets.open(given.sealedContent, locationOf(given.id));
    const copy = this.row(label, value, FOR_EVER_DAYS, actor, owner);
    await tx.insert(SealedValue, copy);
    await this.audit.record(tx, { ...factOf(copy, 'sealed_value.give', actor), facts: { label, copyOf: valueId } });
    return copy.id;
  }

  /** The ids of the copies of a template. */
  async copiesOf(tx: EntityManager, templateId: string): Promise<ReadonlySet<string>> {
    const rows = await tx.findBy(SealedValue, { templateId, deviceId: IsNull() });
    return new Set(rows.map(({ id }) => id));
  }

  /** Removes the copies of a template, but not those that it names. @param named null: also what was made for its devices */
  async removeCopies(tx: EntityManager, templateId: string, named: readonly string[] | null): Promise<void> {
    const copies = named === null ? {} : { deviceId: IsNull(), id: Not(In([...named])) };
    await tx.delete(SealedValue, { templateId, ...copies });
  }

  /**
   * Makes a secret of a template for one device, which only jobs that set the device to the template use. The first one of a
   * name stays.
   * @returns its id
   */
  async makeFor(
    templateId: string,
    deviceId: string,
    name: string,
    { label, value }: Record<'label' | 'value', string>,
  ): Promise<string> {
    const of = { templateId, deviceId, name };
    const row = this.row(label, value, FOR_EVER_DAYS, systemActor('templates'), of);
    await this.db.createQueryBuilder().insert().into(SealedValue).values(row).orIgnore().execute();
    return (await this.db.manager.findOneByOrFail(SealedValue, of)).id;
  }

  /** Opens a copy for the gateway itself, to read what it encrypted or to compare it. @throws AppError `sealed_value_not_found` */
  async openInside(valueId: string): Promise<string> {
    const row = await this.get(valueId);
    return this.secrets.open(row.sealedContent, locationOf(row.id));
  }

  /** Values whose time is over go. */
  async sweep(): Promise<Record<string, number>> {
    const [, removed] = await this.db.query<[unknown, number]>('delete from sealed_value where expires_at <= $1', [
      this.clock.now(),
    ]);
    return { removed };
  }

  /**
   * One that was given, or that a job made for a device which the actor sees; a policy's copy for those who may open it.
   * @throws AppError `sealed_value_not_found`
   */
  private async findInSight(valueId: string, { rights }: Principal): Promise<SealedValue> {
    const row = await this.get(valueId);
    if ((row.policyId ?? row.templateId) !== null && !rights.allows(OPENS))
      throw new AppError('sealed_value_not_found');
    const scope = row.jobId === null ? null : rights.scope('device.read');
    if (scope) {
      const values: unknown[] = [row.deviceId];
      const condition = scope(values, this.clock.now());
      const seen = await this.db.query<unknown[]>(`select from device where id = $1 and ${condition}`, values);
      if (seen.length === 0) throw new AppError('sealed_value_not_found');
    }
    return row;
  }

  private async get(valueId: string): Promise<SealedValue> {
    const row = await this.db.manager
      .createQueryBuilder(SealedValue, 'value')
      .addSelect('value.sealedContent')
      .where('value.id = :valueId and value.expires_at > :now', { valueId, now: this.clock.now() })
      .getOne();
    if (!row) throw new AppError('sealed_value_not_found');
    return row;
  }

  private row(
    label: string,
    value: string,
    days: number,
    { actorId, name: byName }: Pick<Actor, 'actorId' | 'name'>,
    owner: Partial<Pick<SealedValue, 'deviceId' | 'jobId' | 'name' | 'operatorId' | 'policyId' | 'templateId'>>,
  ): SealedValue {
    const id = randomUUID();
    const now = this.clock.now();
    return {
      deviceId: null,
      jobId: null,
      name: null,
      operatorId: null,
      policyId: null,
      templateId: null,
      ...owner,
      id,
      label,
      sealedContent: this.secrets.seal(value, locationOf(id)),
      createdBy: actorId,
      createdByName: byName,
      createdAt: now,
      expiresAt: new Date(now.getTime() + days * DAY_MS),
    };
  }
}

/** The right to read sealed values. */
const OPENS = { action: 'sealed_value.open' } as const;

function isFor(job: JobRow, { deviceId, jobId, operatorId, policyId, templateId }: SealedValue): boolean {
  if (templateId !== null) return job.kind === 'reconcile' && (deviceId === null || deviceId === job.deviceId);
  if (policyId !== null) return job.kind === 'backup' && job.startedBy === policySubject(policyId);
  if (jobId !== null) return deviceId === job.deviceId;
  return operatorId !== null && operatorId === job.operatorId;
}

const locationOf = (rowId: string) => ({ table: 'sealed_value', column: 'sealed_content', rowId });

function factOf({ id, label, deviceId, jobId }: SealedValue, action: AuditAction, actor: Actor) {
  return {
    actor,
    action,
    subject: `sealed_value:${id}`,
    ...(deviceId ? { deviceId } : {}),
    ...(jobId ? { jobId } : {}),
    facts: { label },
  };
}
