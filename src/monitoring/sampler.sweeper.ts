import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, In } from 'typeorm';
import { Authors } from '../auth/keys/authors.service.js';
import { type Rights } from '../auth/rights/rights.js';
import { joinBulk } from '../device-api/bulk.js';
import { withoutMarkers } from '../device-api/redaction-marker.js';
import { type Device } from '../devices/registry/device.entity.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { errorFields, LOG } from '../platform/log.js';
import { type Sweeper } from '../platform/sweeper.js';
import { withTimeout } from '../platform/with-timeout.js';
import { Redactor } from '../secrets/redactor.js';
import { MonitoringPolicy } from './monitoring-policy.entity.js';
import { type BudgetedRead, hasOwnSession, intervalAfter, monthOf } from './policy-price.js';
import { BackgroundRead, BackgroundReads, mayBeReadSql, stateOfNoRead } from './samples/background-reads.js';
import { SampleStore } from './samples/sample-store.js';
import { type ExtraMetric, pathForRights, pathsOf } from './samples/sample-request.js';
import { sampleValues } from './samples/sample-values.js';

/*
 * Samples the devices of the plan: one bulk request each on the shared session, a read without an audit entry. It asks for the
 * paths that the policies of the device name, each with the present rights of its author.
 *
 * Who is not sampled: a device that is offline, refused its credentials or shows another key, has no login, or has a job under
 * way; and one whose breaker is open, which refuses the call. The login-free status check of such a device goes on. A minute
 * later it is looked at again, so that thousands of them do not hide the others.
 *
 * The next sample is a column, set before the sample, so that processes share the fleet and a crash repeats nothing. A process
 * without shared sessions has its own, and each login costs a router memory: so a device stays with the process that sampled it
 * last, until that one is late.
 */

/** Samples at once in a process: 5,000 devices at 240 s are 21 a second, and one that does not answer takes 15 s. */
const AT_ONCE = 400;

/** After so long another process takes the device. With 240 s it stays within the 299 s of a session. */
const LATE_S = 30;

/** When a device that may not be sampled now is looked at again. */
const AGAIN_S = 60;

/** At a stop: a sample that is lost is made again after the next start. */
const STOP_WITHIN_MS = 3_000;

const ACTOR = systemActor('monitoring');

interface Due extends BudgetedRead {
  readonly id: string;
  readonly policies: readonly string[];
  readonly everySeconds: number;
}

/** A policy with the present rights of its author. */
interface InForce {
  readonly policy: MonitoringPolicy;
  readonly rights: Rights;
}

@Injectable()
export class SamplerSweeper implements Sweeper, BeforeApplicationShutdown {
  readonly name = 'sampler';
  readonly isLeftToWorker = true;
  readonly everyMs = 1_000;
  private readonly process = randomUUID();
  private readonly running = new Map<string, Promise<void>>();
  private isStopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get'>,
    @Inject(BackgroundReads) private readonly reads: BackgroundReads,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'answer'>,
    @Inject(SampleStore) private readonly store: SampleStore,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  /** Begins the samples that are due; a device that does not answer holds up no pass. */
  async sweep(): Promise<Record<string, number>> {
    const due = this.isStopping ? [] : await this.takeDue(AT_ONCE - this.running.size);
    if (due.length === 0) return { sampled: 0 };
    const inForce = await this.policiesOf(due);
    for (const device of due) {
      this.running.set(
        device.id,
        this.sample(device, inForce).finally(() => this.running.delete(device.id)),
      );
    }
    return { sampled: due.length };
  }

  /** Waits for the running samples. */
  async settled(): Promise<void> {
    await Promise.all(this.running.values());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await withTimeout(STOP_WITHIN_MS, this.settled(), () => undefined);
  }

  /** Sets when each due device is sampled next, or looked at again. */
  private async takeDue(limit: number): Promise<Due[]> {
    if (limit <= 0) return [];
    const now = this.clock.now();
    const [rows] = await this.db.query<[(Due & { mayBeSampled: boolean })[], number]>(
      `with due as (
         select device.id, sample.month::text as month, coalesce(sample.month_bytes, 0)::float8 as month_bytes,
                ${mayBeReadSql('$3')} as may_be_sampled
           from monitored_device waiting
           join device on device.id = waiting.device_id
           left join device_sample sample on sample.device_id = device.id
          where waiting.due_at <= $1 and waiting.device_id <> all ($4::uuid[])
            and (waiting.process is null or waiting.process = $2 or waiting.due_at < $1::timestamptz - ${LATE_S} * interval '1 second')
          order by waiting.due_at limit $5 for update of waiting skip locked)
       update monitored_device plan
          set due_at = $1::timestamptz + interval '1 second'
                       * case when may_be_sampled then plan.interval_seconds * (0.95 + random() * 0.05) else ${AGAIN_S} end,
              process = case when may_be_sampled then $2 else plan.process end
         from due where plan.device_id = due.id
        returning due.id, plan.policies, plan.every_seconds as "everySeconds", plan.interval_seconds as "intervalSeconds",
                  plan.budget_mb as "budgetMb", due.month, due.month_bytes as "monthBytes", may_be_sampled as "mayBeSampled"`,
      [now, this.process, stateOfNoRead(this.config), [...this.running.keys()], limit],
    );
    return rows.filter(({ mayBeSampled }) => mayBeSampled);
  }

  private async policiesOf(due: readonly Due[]): Promise<ReadonlyMap<string, InForce>> {
    const ids = [...new Set(due.flatMap(({ policies }) => policies))];
    const policies = await this.db.manager.findBy(MonitoringPolicy, { id: In(ids), enabled: true });
    const inForce = new Map<string, InForce>();
    for (const policy of policies) {
      const rights = await this.authors.rightsOf(policy);
      if (rights) inForce.set(policy.id, { policy, rights });
    }
    return inForce;
  }

  /** One that fails says so in the plan of its device, and never ends the pass of the others. */
  private async sample(due: Due, inForce: ReadonlyMap<string, InForce>): Promise<void> {
    const read = new BackgroundRead(ACTOR);
    try {
      const { device } = await this.devices.get(due.id);
      const { paths, extra } = wishOf(due, device, inForce);
      if (paths.length === 0) throw new AppError('forbidden');
      await this.reads.bulk(due.id, paths, read);
      await this.keep(due, paths, extra, read);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal_error';
      if (!(error instanceof AppError)) this.log.warn({ deviceId: due.id, ...errorFields(error) }, 'A sample failed');
      const now = this.clock.now();
      const intervalSeconds = intervalAfter(due, due.everySeconds, read, now);
      const cost = { deviceId: due.id, month: monthOf(now), spentBytes: read.spentBytes, intervalSeconds };
      await this.store.noteFailure(cost, code).catch(() => undefined); // the next sample says it again
    } finally {
      if (hasOwnSession(due.intervalSeconds)) await this.reads.endSessions(read);
    }
  }

  /** @throws AppError `device_answer_invalid` */
  private async keep(
    due: Due,
    paths: readonly string[],
    extra: readonly ExtraMetric[],
    read: BackgroundRead,
  ): Promise<void> {
    const { answer, bytes, spentBytes } = read;
    // Many read a sample, so it has what a caller without the right to secrets is shown.
    const shown = withoutMarkers(this.redactor.answer(answer.json(), paths.map(pathForRights), true).value);
    const answers = joinBulk(shown, paths.length);
    if (answers.every((one) => one === null))
      throw new AppError('device_answer_invalid', { deviceStatus: answer.status, reason: 'it answers no item' });
    const sampledAt = this.clock.now();
    const month = monthOf(sampledAt);
    const intervalSeconds = intervalAfter(due, due.everySeconds, read, sampledAt);
    const values = sampleValues(paths, answers, extra);
    const sample = { deviceId: due.id, sampledAt, paths, bytes, month, spentBytes, intervalSeconds, values };
    await this.store.add({ ...sample, process: this.process });
  }
}

/** The union of what the policies of a device ask for, as far as each author may read it. */
function wishOf({ policies }: Due, device: Readonly<Device>, inForce: ReadonlyMap<string, InForce>) {
  const paths = new Set<string>();
  const extra = new Map<string, ExtraMetric>();
  for (const id of policies) {
    const found = inForce.get(id);
    if (!found) continue;
    const { policy, rights } = found;
    const allowed = new Set(
      pathsOf(policy).filter((path) =>
        rights.allows({ action: 'device.call_read', device, path: pathForRights(path) }),
      ),
    );
    for (const path of allowed) paths.add(path);
    for (const one of policy.extra) if (allowed.has(one.path) && !extra.has(one.name)) extra.set(one.name, one);
  }
  return { paths: [...paths].sort(), extra: [...extra.values()] };
}
