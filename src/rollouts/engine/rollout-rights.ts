import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { Authors, type HasAuthor } from '../../auth/keys/authors.service.js';
import { type RequiredRight, type Rights } from '../../auth/rights/rights.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { requiredRights } from '../../jobs/engine/job-rights.js';
import { JobBatches } from '../../jobs/engine/job-batches.js';
import { type JobKind } from '../../jobs/kind-api/kind.js';
import { AppError } from '../../platform/errors.js';
import { CheckNeeds } from './check-needs.js';
import { type Rollout } from '../state/rollout.entity.js';
import { Schedule } from '../state/schedule.entity.js';
import { type DeviceValues, fillIn } from './device-values.js';

/*
 * The rights with which a rollout continues. Its jobs run with the rights of its author, and a person who resumes it
 * makes them run. Both must hold the rights for each device, as if that person had started each job.
 */

/** The rights that an author, and a person who resumes a rollout, must hold on a device with this spec. */
export function needsOf(kind: JobKind, spec: unknown): readonly RequiredRight[] {
  return [{ action: 'device.read' }, ...requiredRights(kind, spec)];
}

/** The first missing right on a device; null when none is missing. */
export function missing(
  rights: Rights,
  needs: readonly RequiredRight[],
  device: Readonly<Device>,
): RequiredRight | null {
  return needs.find((need) => !rights.allows({ ...need, device })) ?? null;
}

/** The row that names the author of a rollout: its schedule, or the rollout itself. */
export async function authoredRowOf(tx: EntityManager, rollout: Rollout): Promise<HasAuthor> {
  const { scheduleId, operatorId } = rollout;
  if (scheduleId === null || operatorId === null) return rollout;
  return (await tx.findOneBy(Schedule, { id: scheduleId, operatorId })) ?? rollout;
}

@Injectable()
export class RolloutRights {
  constructor(
    @Inject(Authors) private readonly authors: Authors,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(CheckNeeds) private readonly checks: CheckNeeds,
  ) {}

  /**
   * Requires the rights of a person who resumes a rollout, and those of its author, for each device that is not done.
   * @throws AppError `forbidden`, `author_may_not`, `author_gone`
   */
  async requireContinue(tx: EntityManager, rollout: Rollout, actor: Principal): Promise<void> {
    const author = await this.rightsOfAuthor(tx, rollout);
    const needs = await this.openNeeds(tx, rollout);
    for (const { device, needs: own } of needs) refuse('forbidden', missing(actor.rights, own, device));
    if (author === null) return;
    for (const { device, needs: own } of needs) refuse('author_may_not', missing(author, own, device));
    if (rollout.policy.membership === 'following' && !actor.rights.includes(author)) {
      // Unknown devices may join later.
      const narrow = needs.flatMap(({ needs: own }) => own).find(({ action }) => !actor.rights.everywhere(action));
      refuse('forbidden', narrow ?? null);
    }
  }

  /**
   * Requires that a person who approves a rollout sees each device that is not done, and that its author holds the
   * rights.
   * @throws AppError as `requireContinue`
   */
  async requireApproval(tx: EntityManager, rollout: Rollout, actor: Principal): Promise<void> {
    const author = await this.rightsOfAuthor(tx, rollout);
    for (const { device, needs } of await this.openNeeds(tx, rollout)) {
      refuse('forbidden', missing(actor.rights, [{ action: 'device.read' }], device));
      if (author) refuse('author_may_not', missing(author, needs, device));
    }
  }

  /** The present rights of the author; null for a rollout of the gateway itself. @throws AppError `author_gone` */
  private async rightsOfAuthor(tx: EntityManager, rollout: Rollout): Promise<Rights | null> {
    if (rollout.operatorId === null) return null;
    const rights = await this.authors.rightsOf(await authoredRowOf(tx, rollout));
    if (!rights) throw new AppError('author_gone');
    return rights;
  }

  /**
   * The devices that are not done, each with the rights for its job; one that would be skipped needs the common rights.
   */
  private async openNeeds(tx: EntityManager, rollout: Rollout) {
    const kind = this.batches.kind(rollout.kind);
    if (!kind) throw new AppError('invalid_input');
    const checkNeeds = this.checks.rightsNeededBy(rollout.policy.checks);
    const targets = await tx.query<{ id: string; spec: unknown }[]>(
      `select device_id as id, spec from rollout_target
        where rollout_id = $1 and state in ('waiting', 'offline', 'queued', 'running')`,
      [rollout.id],
    );
    const known = await this.devices.getMany(targets.map(({ id }) => id));
    return targets.flatMap(({ id, spec }) => {
      const device = known.get(id)?.device;
      if (!device) return []; // removed: nothing happens to it
      const own = specFor(kind, spec ?? rollout.spec, device);
      const needs: readonly RequiredRight[] = 'spec' in own ? needsOf(kind, own.spec) : [{ action: 'device.read' }];
      return [{ device, needs: [...needs, ...checkNeeds] }];
    });
  }
}

function refuse(code: 'forbidden' | 'author_may_not', need: RequiredRight | null): void {
  if (need === null) return;
  const { action, path } = need;
  throw new AppError(code, { permission: action, ...(path === undefined ? {} : { path }) });
}

/** The spec of a rollout for the job on one device, or the reason why the device gets none. Pure. */
export type DeviceSpec = { readonly spec: unknown } | { readonly reason: 'value_missing' | 'spec_invalid' };

export function specFor(kind: JobKind, spec: unknown, device: DeviceValues): DeviceSpec {
  const { spec: filled, missing } = fillIn(spec, device);
  if (missing.length > 0) return { reason: 'value_missing' };
  const parsed = kind.spec.safeParse(filled);
  return parsed.success ? { spec: parsed.data } : { reason: 'spec_invalid' };
}
