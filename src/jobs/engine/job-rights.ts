import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Principal } from '../../auth/access/access.js';
import { Authors } from '../../auth/keys/authors.service.js';
import { Locks } from '../../auth/access/locks.service.js';
import { lockedError } from '../../auth/access/lock-table.js';
import { NO_RIGHTS, type RequiredRight, type Rights, type ScopedDevice } from '../../auth/rights/rights.js';
import { RightsService } from '../../auth/rights/rights.service.js';
import { StepUp } from '../../auth/people/step-up.js';
import { isMovedSince } from '../../devices/registry/device-addresses.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { AppError } from '../../platform/errors.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { type JobRow } from '../rows/job.entity.js';
import { KINDS } from './job-kinds.js';
import { type JobKinds } from '../kinds/index.js';
import { type JobKind } from '../kind-api/kind.js';
import { SpecRights } from './spec-rights.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Decides who may start a job, and whether it may continue. A job acts with the rights of its author, perhaps hours
 * later. They are checked at each wake-up, until the point of no return: after it only a verified end is safe.
 */

/** The most authors in the cache; no process has more at work. */
const MEMORY_SIZE = 10_000;

const KEY = 'key:';

@Injectable()
export class JobRights implements OnModuleDestroy {
  /** Cached rights of authors, until a notification of a change. */
  private readonly known = boundedCache<string, Rights>(MEMORY_SIZE);
  /** Incremented by each notification, so that rights read before it are not cached after it. */
  private generation = 0;
  private readonly unsubscribe: (() => void)[];

  constructor(
    @Inject(RightsService) rights: RightsService,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(PgNotifications) private readonly notifications: PgNotifications,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(SpecRights) private readonly specs: SpecRights,
  ) {
    const forget = () => {
      this.generation++;
      this.known.clear();
    };
    this.unsubscribe = [rights.onChange(forget), notifications.on('api_key', forget)];
  }

  onModuleDestroy(): void {
    for (const stop of this.unsubscribe) stop();
  }

  /**
   * Requires the right to start a job with this spec on a device.
   * @throws AppError `device_not_found` for one that the actor cannot see, `forbidden`, `locked`, `step_up_required`;
   *   `artifact_not_found`, `sealed_value_not_found` for parts of the spec that the actor may not read
   */
  async requireStart(kind: JobKind, spec: unknown, device: ScopedDevice, actor: Principal): Promise<void> {
    for (const right of requiredRights(kind, spec)) actor.rights.requireOnDevice({ ...right, device });
    this.locks.refuseDevice(device);
    await this.specs.require(kind, spec, device, actor);
    if (kind.stepUp(spec)) await this.stepUp.require(actor);
  }

  /**
   * Requires that a job may do its next step. @throws AppError `locked` when it has to wait, `starter_may_not` and
   * `device_replaced` when it has to end
   */
  async requireContinue(job: JobRow): Promise<void> {
    const kind = this.kinds.get(job.kind);
    if (!kind) return;
    const { device } = await this.devices.get(job.deviceId);
    if (isMovedSince(device, job.createdAt)) throw new AppError('device_replaced');
    const { operatorId } = job;
    const author = operatorId === null ? null : { operatorId, keyId: keyIdOf(job) };
    const lock = this.locks.workLock(author, device);
    if (lock) throw lockedError(lock);
    if (operatorId === null) return; // a job of the gateway itself
    const rights = await this.rightsOf(operatorId, job.startedBy);
    const missing = requiredRights(kind, job.spec).find((right) => !rights.allows({ ...right, device }));
    if (missing) throw new AppError('starter_may_not', { permission: missing.action, startedBy: job.startedByName });
  }

  /** The present rights of a job's author: a revoked key has none, an expired one those it had. */
  private async rightsOf(operatorId: string, startedBy: string): Promise<Rights> {
    const name = `${operatorId} ${startedBy}`;
    const known = this.notifications.isListening ? this.known.get(name) : undefined;
    if (known) return known;
    const { generation } = this;
    const rights = (await this.authors.rightsOf({ operatorId, createdBy: startedBy })) ?? NO_RIGHTS;
    if (generation !== this.generation) return rights;
    this.known.set(name, rights);
    return rights;
  }
}

/** The permissions that a job needs, with the paths that its author chose. */
export function requiredRights(kind: JobKind, spec: unknown): readonly RequiredRight[] {
  const calls = kind.calls(spec).map(({ writes, path }) => ({
    action: writes ? ('device.call_write' as const) : ('device.call_read' as const),
    path,
  }));
  return [{ action: 'job.start' as const }, { action: kind.permission }, ...calls];
}

/** The key that started a job; null when a person was signed in. */
const keyIdOf = ({ startedBy }: JobRow): string | null =>
  startedBy.startsWith(KEY) ? startedBy.slice(KEY.length) : null;
