import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { PATHS } from '../device-api/contract.js';
import { type ConnectStage } from '../device-api/http.js';
import { addressOf } from '../devices/registry/device-addresses.js';
import { type Device } from '../devices/registry/device.entity.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { ReachabilityWatch } from '../proxy/connections/reachability-watch.js';
import { isTakenOver } from '../proxy/sessions/device-identity.js';
import { SessionsService } from '../proxy/sessions.service.js';
import { type Attempt, type LoginKnowledge, stagesOf } from './check-stages.js';
import { type checkView, type reachabilityView } from './device-checks.contract.js';
import { neighboursSql, networkOf } from './neighbours.js';
import { StatusProbe } from './status-probe.js';

/*
 * Why a device does not answer: the status probe by hand, with its stages, and what is known without one.
 *
 * A check counts like one of the status sweep. It takes 18 s at most, and callers who ask for the same device at the same time get
 * the same check.
 */

type Check = z.input<typeof checkView>;
type Reachability = z.input<typeof reachabilityView>;

interface DueRow {
  readonly nextCheckAt: Date | null;
  readonly since: Date | null;
}

@Injectable()
export class DeviceChecks {
  private readonly running = new Map<string, Promise<Omit<Check, 'stages'> & { attempt: Attempt }>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SessionsService) private readonly sessions: Pick<SessionsService, 'get'>,
    @Inject(StatusProbe) private readonly probe: StatusProbe,
    @Inject(ReachabilityWatch) private readonly watch: Pick<ReachabilityWatch, 'mayBelieve'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  /**
   * Asks a device now.
   * @throws AppError `device_not_found`, `device_trust_changed` where a person has to decide first
   */
  async run(ref: string, actor: Principal): Promise<Check> {
    const device = await this.devices.resolve(ref);
    actor.rights.requireOnDevice({ action: 'device.call_read', device, path: PATHS.unauthorizedStatus });
    if (device.state === 'trust_changed')
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    const { attempt, ...view } = await this.sharedCheck(device);
    return { ...view, stages: stagesOf(attempt, await this.loginOf(device.id, actor)) };
  }

  private sharedCheck(device: Readonly<Device>) {
    const known = this.running.get(device.id);
    if (known) return known;
    const check = this.ask(device).finally(() => this.running.delete(device.id));
    this.running.set(device.id, check);
    return check;
  }

  private async ask(device: Readonly<Device>) {
    const startedAt = performance.now();
    const passed = new Map<ConnectStage | 'answer', number>();
    const note = (stage: ConnectStage | 'answer') => passed.set(stage, performance.now() - startedAt);
    const { observed, error } = await this.probe.ask(device, note);
    const ms = performance.now() - startedAt;
    if (!error) note('answer');
    // A process that was late, or that doubts its own connection, learns nothing from a failure.
    const isBelieved = !observed?.failedChecks || this.watch.mayBelieve(startedAt);
    if (observed && isBelieved) await this.devices.storeObservations(device.id, observed);
    const { state, stateReason } = (await this.devices.get(device.id)).device;
    return {
      answered: error === null,
      checkedAt: this.clock.now(),
      attempt: { baseUrl: addressOf(device), passed, ms, error },
      state,
      stateReason,
    };
  }

  private async loginOf(id: string, actor: Principal): Promise<LoginKnowledge> {
    const { device, account } = await this.devices.get(id);
    if (isTakenOver(device)) return { outcome: 'failed', detail: 'another device answers at this address' };
    if (device.state === 'credentials_refused')
      return { outcome: 'failed', detail: device.stateReason ?? 'the device refuses the stored password' };
    if (!account) return { outcome: 'skipped', detail: 'no login is stored' };
    const { sessions } = await this.sessions.get(id, actor);
    const phase = sessions.find((session) => session.account === 'main')?.phase;
    if (phase === 'valid') return { outcome: 'passed', detail: 'a session is open' };
    if (phase === 'refused' || phase === 'paused') return { outcome: 'failed', detail: 'the last login failed' };
    return { outcome: 'skipped', detail: 'the check sends no password' };
  }

  /** What is known without a check. @throws AppError `device_not_found` */
  async read(ref: string, { rights }: Principal): Promise<Reachability> {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'device.read', device });
    const now = this.clock.now();
    const values: unknown[] = [];
    const param = (value: unknown) => `$${values.push(value)}`;
    const sight = rights.sql('device.read', values, now);
    const sql = neighboursSql(sight, param(device.id), param(device.site), param(networkOf(device.baseUrl)));
    const [neighbours, [due]] = await Promise.all([
      this.db.query<Reachability['neighbours']>(sql, values),
      this.db.query<[DueRow]>(
        `select greatest(probe_at, $2::timestamptz) as "nextCheckAt",
                (select at from device_change where device_id = $1 and field = 'state' order by id desc limit 1) as since
           from device where id = $1`,
        [device.id, now],
      ),
    ]);
    const isChecked = this.config.STATUS_EVERY_SECONDS > 0 && device.state !== 'trust_changed';
    return {
      since: due.since,
      seenAt: device.seenAt,
      failedChecks: device.failedChecks,
      nextCheckAt: isChecked ? due.nextCheckAt : null,
      neighbours,
    };
  }
}
