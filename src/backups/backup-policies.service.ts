import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../auth/access/access.js';
import { RecurringService } from '../recurring/recurring.service.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { selectorSql } from '../selectors/selector-sql.js';
import { systemActor } from '../platform/actor.js';
import { AppError } from '../platform/errors.js';
import { toAppError } from '../http/problem.js';
import { nextRunAt, rhythmOf } from '../recurring/recurring.js';
import { BackupPolicy } from './backup-policy.entity.js';
import { policySubject } from '../jobs/sealed-values/sealed-value.entity.js';
import { type PolicyInput } from './backups.contract.js';
import { JobBatches, type BatchAuthor } from '../jobs/engine/job-batches.js';
import { SealedValuesService } from '../jobs/sealed-values/sealed-values.service.js';

const KIND = 'backup';

/**
 * Backup policies, and the sweep that runs them. A run is one transaction with the next instant: only one of any number
 * of processes makes it, and a process that dies in it has changed nothing. A device whose last backup job is still open
 * gets no second one.
 */
@Injectable()
export class BackupPoliciesService extends RecurringService<BackupPolicy, PolicyInput> {
  readonly name = 'backup-policies';

  constructor(
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(SealedValuesService) private readonly values: Pick<SealedValuesService, 'adopt'>,
  ) {
    super('backup_policy', BackupPolicy);
  }

  protected async ownFields(
    input: PolicyInput & { readonly id: string },
    found: BackupPolicy | null,
    actor: Principal,
    tx: EntityManager,
  ) {
    const { selector, keepCount, keepDays, onlyChanges } = input;
    const passphrase = await this.passphraseOf(tx, input, found, actor);
    return { selector, keepCount, keepDays, onlyChanges, passphrase, lastStarted: found?.lastStarted ?? null };
  }

  protected factsOf(policy: BackupPolicy) {
    const { selector, keepCount, keepDays, onlyChanges, passphrase, enabled } = policy;
    const kept = { keepCount, keepDays, onlyChanges, isEncrypted: passphrase !== null };
    return { selector, rhythm: rhythmOf(policy), ...kept, enabled };
  }

  async sweep(): Promise<Record<string, number>> {
    const did = { runs: 0, jobs: 0 };
    await this.runDue(async (id) => {
      const started = await this.run(id);
      if (started === null) return; // another process has it now
      did.runs++;
      did.jobs += started;
      this.batches.notifyAfterCommit();
    });
    return did;
  }

  /** Runs one policy. @returns how many jobs it started; null when another process runs it */
  private run(id: string): Promise<number | null> {
    return this.db.transaction(async (tx) => {
      const now = this.clock.now();
      const policy = await tx
        .createQueryBuilder(BackupPolicy, 'policy')
        .where('policy.id = :id and policy.enabled and policy.next_run_at <= :now', { id, now })
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getOne();
      if (!policy) return null;
      const dueAt = policy.nextRunAt;
      const deviceIds = await this.due(tx, policy, now).catch((error: unknown) => toAppError(error));
      const isRefused = deviceIds instanceof AppError;
      const started = isRefused ? 0 : await this.start(tx, policy, deviceIds);
      await tx.update(BackupPolicy, id, {
        nextRunAt: nextRunAt(policy, now),
        lastRunAt: now,
        lastStarted: started,
        lastError: isRefused ? deviceIds.code : null,
      });
      const facts = { dueAt, started, ...(isRefused ? { error: deviceIds.code } : {}) };
      await this.recordRun(tx, 'run', policy, authorOf(policy), facts);
      return started;
    });
  }

  /**
   * The devices of a policy that its author may back up, without those whose backup job is still open, or whose last one
   * was quarantined: it would crash workers each night, until a backup that a person starts ends in another way.
   * @throws AppError `author_gone`, `invalid_selector`
   */
  private async due(tx: EntityManager, policy: BackupPolicy, now: Date): Promise<string[]> {
    const rights = await this.authors.rightsOf(policy);
    if (!rights) throw new AppError('author_gone');
    const values: unknown[] = [];
    const chosen = selectorSql(await this.selectors.read(policy.selector, rights), values, now, rights);
    const scope = rights.sql('job.start', values, now);
    const rows = await tx.query<{ id: string }[]>(
      `select device.id from device
        where ${chosen} and ${scope}
          and not exists (select from job where job.device_id = device.id and job.kind = '${KIND}' and job.phase <> 'ended')
          and (select last.failure ->> 'code' from job last where last.device_id = device.id and last.kind = '${KIND}'
                order by last.created_at desc, last.id desc limit 1) is distinct from 'quarantined'
        order by device.id`,
      values,
    );
    return rows.map(({ id }) => id);
  }

  private async start(tx: EntityManager, policy: BackupPolicy, deviceIds: readonly string[]): Promise<number> {
    const kind = this.batches.kind(KIND)!;
    const spec = policy.passphrase === null ? {} : { sealedValue: policy.passphrase };
    const items = deviceIds.map((deviceId) => ({ deviceId, spec }));
    await this.batches.start(tx, kind, items, authorOf(policy));
    return items.length;
  }

  /** @throws AppError `invalid_selector`, `rights_not_held` */
  protected async requireAuthor({ selector }: PolicyInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    await this.selectors.read(selector, actor.rights);
  }

  /**
   * The policy's own copy of the given passphrase: it exists as long as the backups do, and only backups of this policy
   * use it. A new author needs the right to read the passphrase of another author: they choose the devices that get it.
   * @throws AppError `sealed_value_not_found`, `forbidden`
   */
  private async passphraseOf(
    tx: EntityManager,
    { sealedValue, id, name }: PolicyInput & { readonly id: string },
    found: BackupPolicy | null,
    actor: Principal,
  ): Promise<string | null> {
    if (sealedValue === null) return null;
    if (sealedValue !== undefined)
      return this.values.adopt(tx, sealedValue, { policyId: id }, `passphrase of backups by the policy ${name}`, actor);
    if (found === null || found.passphrase === null) return null;
    if (found.operatorId !== actor.operatorId) actor.rights.require({ action: 'sealed_value.open' });
    return found.passphrase;
  }
}

function authorOf({ id, name, operatorId, createdByName }: BackupPolicy): BatchAuthor {
  const actor = systemActor(`backup-policy:${id}`);
  return { ...actor, actorId: policySubject(id), name: createdByName, reason: `backup policy ${name}`, operatorId };
}
