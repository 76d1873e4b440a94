import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { PATHS } from '../device-api/contract.js';
import { identityFacts, networkOperatorOf } from '../device-api/identity-facts.js';
import { type DeviceWithAccounts } from '../devices/registry/device.queries.js';
import { withinInterval } from '../database/due-times.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { countFailing } from '../devices/registry/failing-devices.js';
import { expectedSerial } from '../devices/registry/identity-reason.js';
import { judgePass, type Doubt } from '../devices/registry/reachability.js';
import { type Observations } from '../devices/registry/device-observations.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { LOG } from '../platform/log.js';
import { AppError } from '../platform/errors.js';
import { type Sweeper } from '../platform/sweeper.js';
import { DeviceCalls } from '../proxy/calls/device-calls.js';
import { ReachabilityWatch } from '../proxy/connections/reachability-watch.js';
import { DeviceIdentity } from '../proxy/sessions/device-identity.js';
import { StatusProbe } from './status-probe.js';

/*
 * Polls the fleet: whether each device answers, its identity, and its firmware.
 *
 * Reachability is polled without a login, since each login costs a device memory: any answer, even a refusal, counts.
 * Identity needs a session. It is read once a day, when it is unknown, and after a change of the API's version, which
 * means new firmware. The mobile network is read with it.
 *
 * What failed checks mean is judged for the pass as a whole: `devices/registry/reachability.ts`.
 *
 * The next poll of each device is a column, set before the poll, so that replicas share the fleet and a crash repeats
 * nothing.
 */

/** Devices of one pass. At one pass a second this is the rate of polls: 1,000 devices in 20 seconds. */
const DEVICES_A_PASS = 50;

const IDENTIFY_EVERY_MS = 24 * 3_600_000;

/** The pause before the next attempt to read an identity. */
const IDENTIFY_AGAIN_MS = 3_600_000;

const ACTOR = systemActor('status');

interface DueDevice {
  readonly id: string;
  readonly identify: boolean;
}

/** A check without an answer, and what it means once it is believed. */
interface FailedCheck {
  readonly id: string;
  readonly observation: Observations;
}

@Injectable()
export class StatusSweeper implements Sweeper {
  readonly name = 'device-status';
  readonly isLeftToWorker = true;
  readonly everyMs = 1_000;
  private doubt: Doubt | null = null;
  private wasLate = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(StatusProbe) private readonly probe: StatusProbe,
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(DeviceIdentity) private readonly identity: DeviceIdentity,
    @Inject(ReachabilityWatch) private readonly watch: ReachabilityWatch,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  get isOn(): boolean {
    return this.config.STATUS_EVERY_SECONDS > 0;
  }

  /** Polls the devices that are due. Unchanged devices are not counted. */
  async sweep(): Promise<Record<string, number>> {
    const startedAt = performance.now();
    const due = await this.takeDue();
    const found = await Promise.all(due.map((device) => this.poll(device)));
    const failures = found.flatMap((result) => (typeof result === 'boolean' ? [] : [result]));
    const judged = failures.length > 0 || this.doubt ? await this.judge(failures, startedAt) : 0;
    return { changed: found.filter((changed) => changed === true).length + judged };
  }

  /** Decides what failed checks mean (`reachability.ts`). @returns how many devices are offline now */
  private async judge(failures: readonly FailedCheck[], startedAt: number): Promise<number> {
    const wasLate = this.watch.wasLateSince(startedAt);
    if (!wasLate)
      await Promise.all(
        failures.map(({ id, observation: { failedChecks = 0 } }) =>
          this.devices.storeObservations(id, { failedChecks }),
        ),
      );
    const pass = { wasLate, ...(await countFailing(this.db.manager, this.clock.now())) };
    const everyMs = this.config.STATUS_EVERY_SECONDS * 1_000;
    const { verdict, doubt } = judgePass(pass, this.doubt, this.clock.nowMs(), everyMs);
    this.doubt = doubt;
    const wasDoubting = this.watch.isDoubting;
    if (verdict !== 'late') this.watch.isDoubting = verdict === 'doubt';
    if (wasLate && !this.wasLate)
      this.log.warn({ devices: failures.length }, 'Status checks were not judged: this process was late');
    this.wasLate = wasLate;
    if (verdict !== 'judge') return 0;
    const away = failures.filter(({ observation }) => observation.state !== undefined);
    await Promise.all(away.map(({ id, observation }) => this.devices.storeObservations(id, observation)));
    if (wasDoubting && doubt) await this.pollFailing();
    return away.length;
  }

  /** The failures are believed now: the other devices that fail are due, so that their states do not change one by one for an interval. */
  private async pollFailing(): Promise<void> {
    await this.db.query(`update device set probe_at = $1 where failed_checks > 0 and state <> 'offline'`, [
      this.clock.now(),
    ]);
  }

  /**
   * Selects the devices that are due, and sets their next poll, with a random tenth to spread the fleet. The lock lets by what only
   * refers to a device: a transaction that makes jobs for all of them delays no check.
   */
  private async takeDue(): Promise<DueDevice[]> {
    const { STATUS_EVERY_SECONDS } = this.config;
    await this.db.query(withinInterval('device', 'probe_at', String(STATUS_EVERY_SECONDS)), [this.clock.now()]);
    const [rows] = await this.db.query<[DueDevice[], number]>(
      `update device
          set probe_at = $1::timestamptz + $2::float8 * (0.95 + random() * 0.1) * interval '1 second'
         from (select id as due_id, identify_at <= $1 as identify from device where probe_at <= $1
                order by probe_at limit $3 for no key update skip locked) as due
        where device.id = due.due_id
        returning device.id, due.identify`,
      [this.clock.now(), STATUS_EVERY_SECONDS, DEVICES_A_PASS],
    );
    return rows;
  }

  /** @returns whether the device was in another state before; a failed check is judged with those of the others */
  private async poll({ id, identify }: DueDevice): Promise<boolean | FailedCheck> {
    const registered = await this.devices.get(id).catch(() => null);
    if (!registered) return false; // removed since
    const { device, account } = registered;
    if (device.state === 'trust_changed') return false; // nothing is sent until an operator decides
    const observations = await this.observe(device);
    if (observations?.failedChecks) return { id, observation: observations };
    const mayLogIn = account !== null && device.state !== 'credentials_refused';
    const isUpgraded =
      device.apiVersion !== null && (observations?.apiVersion ?? device.apiVersion) !== device.apiVersion;
    const isElsewhere = observations?.bySpare === true && !device.bySpare;
    const identifies = (identify || isUpgraded || isElsewhere) && mayLogIn && observations?.seenAt !== undefined;
    // Before the attempt. Without one the identity stays due, as of a device that is not there yet, or has no password.
    if (identifies || isUpgraded) await this.setIdentify(id, IDENTIFY_AGAIN_MS);
    // At the spare address the state follows from the login, which compares the serial number.
    const { state: _state, ...found } = observations ?? {};
    if (observations) await this.devices.storeObservations(id, isElsewhere && identifies ? found : observations);
    if (identifies) await this.identify(id);
    return observations?.state !== undefined && observations.state !== device.state;
  }

  private async observe(device: DeviceWithAccounts['device']): Promise<Observations | null> {
    try {
      return await this.probe.find(device);
    } catch (error) {
      // Nothing may be sent, as when its trust `insecure` has ended. It must not end the pass of the others.
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Reads the device's identity through the shared session. The next call reports errors to its caller. */
  private async identify(deviceId: string): Promise<void> {
    try {
      const { body } = await this.calls.call(
        deviceId,
        { method: 'GET', path: PATHS.systemStatus },
        { actor: ACTOR, inBackground: true },
      );
      const facts = identityFacts((body as { data?: unknown }).data);
      if (facts.serial !== null) await this.requireSameSerial(deviceId, facts.serial);
      const known = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== null);
      await this.devices.storeObservations(deviceId, Object.fromEntries(known));
      if (facts.serial !== null) await this.setIdentify(deviceId, IDENTIFY_EVERY_MS);
    } catch {
      // `identify_at` is already an hour ahead, and the call has recorded the error.
      return;
    }
    await this.learnNetwork(deviceId);
  }

  /** Reads the mobile network. Without an answer that names one the known one stays: a modem may be searching. */
  private async learnNetwork(deviceId: string): Promise<void> {
    const request = { method: 'GET', path: PATHS.modemsStatus } as const;
    const answer = await this.calls.call(deviceId, request, { actor: ACTOR, inBackground: true }).catch(() => null);
    const networkOperator = networkOperatorOf((answer?.body as { data?: unknown } | undefined)?.data);
    // The device may be removed by now.
    if (networkOperator !== null)
      await this.devices.storeObservations(deviceId, { networkOperator }).catch(() => undefined);
  }

  private async setIdentify(deviceId: string, inMs: number): Promise<void> {
    const at = new Date(this.clock.now().getTime() + inMs);
    await this.db.query('update device set identify_at = $2 where id = $1', [deviceId, at]);
  }

  /**
   * A session can outlive the login that compared the identity: a clone has the same key.
   * @throws AppError `identity_mismatch`
   */
  private async requireSameSerial(deviceId: string, serial: string): Promise<void> {
    const { device } = await this.devices.get(deviceId);
    const expected = expectedSerial(device);
    if (expected === null || expected === serial) return;
    await this.calls.endSessions(deviceId);
    await this.identity.checkSerial(device, serial);
  }
}
