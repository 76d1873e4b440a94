import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { PATHS } from '../../device-api/contract.js';
import { isPasswordDemand } from '../../device-api/password-demand.js';
import { Locks } from '../../auth/access/locks.service.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { errorFields } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { LOG } from '../../platform/platform.module.js';
import { Admission } from '../admission/admission.js';
import { type CallRequest } from '../connections/call-request.js';
import { ReachabilityWatch } from '../connections/reachability-watch.js';
import { Slots } from '../connections/slots.js';
import { Transport } from '../connections/transport.js';
import { SessionPool } from '../sessions/session-pool.js';
import { Breakers } from './breakers.js';
import { type CallContext, type PreparedRequest } from './call-context.js';
import { WriteRecords } from './write-record.js';

/** Writes after which a device restarts. */
const OUTAGES: ReadonlySet<string> = new Set([
  PATHS.reboot,
  PATHS.upgradeFirmware,
  PATHS.applyBackup,
  '/api/backup/actions/reset_settings',
]);

/** The flash takes up to 75 s to begin and 5 minutes; then the device starts. */
const OUTAGE_MS = 15 * 60_000;
const OUTAGES_MAX = 50_000;

/** What all calls of this process share. */
@Injectable()
export class CallServices {
  readonly slots = new Slots();
  /**
   * Refuses a write that changes an account with which the gateway logs in. `DeviceCalls` sets it, since this check may
   * call the device.
   */
  refuseOwnAccounts: (registered: DeviceWithAccounts, request: PreparedRequest, context: CallContext) => Promise<void> =
    () => Promise.reject(new Error('The check of accounts is not set'));
  /** Whether new calls are refused. */
  isClosing = false;
  private readonly writeListeners: ((deviceId: string) => void)[] = [];
  /** When a write that makes a device go away was last passed to it, by device. */
  private readonly outages = boundedCache<string, number>(OUTAGES_MAX);

  constructor(
    @Inject(DevicesService)
    readonly devices: Pick<DevicesService, 'get' | 'getCached' | 'storeObservations' | 'noteSeen'>,
    @Inject(Transport) readonly transport: Transport,
    @Inject(SessionPool) readonly sessions: SessionPool,
    @Inject(Breakers) readonly breakers: Breakers,
    @Inject(Admission) readonly admission: Admission,
    @Inject(WriteRecords) readonly records: WriteRecords,
    @Inject(ReachabilityWatch) readonly reachability: Pick<ReachabilityWatch, 'mayBelieve'>,
    @Inject(Locks) readonly locks: Pick<Locks, 'refuseDevice' | 'refuseWrites'>,
    @Inject(Clock) readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(CONFIG) readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Refuses a call that may not be made now, before anything is opened for it. */
  requireCallable(device: Readonly<Device>, { inBackground }: PreparedRequest): void {
    if (this.isClosing) throw new AppError('shutting_down');
    this.locks.refuseDevice(device);
    if (device.state === 'trust_changed') {
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    }
    this.breakers.check(device, !inBackground);
  }

  /** Calls `listener` when a write to a device begins and again when it has ended, with any result. */
  onWrite(listener: (deviceId: string) => void): void {
    this.writeListeners.push(listener);
  }

  /** Notes a write after which the device goes away for some minutes. */
  noteOutage(deviceId: string, { acts }: CallRequest): void {
    if (acts.some(({ method, path }) => method === 'POST' && OUTAGES.has(path)))
      this.outages.set(deviceId, this.clock.nowMs());
  }

  /** Whether the device may be away because of a write that this process passed to it. */
  isOutageExpected(deviceId: string): boolean {
    return this.clock.nowMs() - (this.outages.get(deviceId) ?? Number.NEGATIVE_INFINITY) < OUTAGE_MS;
  }

  notifyWriteListeners(deviceId: string): void {
    for (const listener of this.writeListeners) listener(deviceId);
  }

  measure(method: string, outcome: string, ms: number): void {
    this.metrics.deviceCalls.observe({ method, outcome }, ms / 1000);
  }

  /**
   * Records that the device is online, or that it demands a new password before anything else. The call neither waits for
   * this nor fails with it.
   */
  recordSeen({ device, account, readAccount }: DeviceWithAccounts, demand: string | null = null): void {
    const now = this.clock.now();
    if (demand !== null) {
      if (device.state === 'credentials_refused' && device.stateReason === demand) this.devices.noteSeen(device, now);
      else
        void this.storeObservations(device.id, {
          seenAt: now,
          state: 'credentials_refused',
          stateReason: demand,
          failedChecks: 0,
        });
      return;
    }
    // One account may be refused while another one works.
    const failedLogins = (account?.failedLogins ?? 0) + (readAccount?.failedLogins ?? 0);
    const isHalfUsable = failedLogins > 0 || (readAccount !== null && isPasswordDemand(device.stateReason));
    const isRefused = device.state === 'credentials_refused' && isHalfUsable;
    const isKnown = (device.state === 'online' && device.failedChecks === 0) || isRefused;
    if (isKnown) this.devices.noteSeen(device, now);
    else void this.storeObservations(device.id, { seenAt: now, state: 'online', stateReason: null, failedChecks: 0 });
  }

  async storeObservations(deviceId: string, observations: Observations): Promise<void> {
    try {
      await this.devices.storeObservations(deviceId, observations);
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_not_found') return; // the device was removed since
      this.log.warn({ deviceId, ...errorFields(error) }, 'The observations of a call could not be stored');
    }
  }

  /** The caller of a call could not take its answer or its error, which is a defect of the gateway. */
  logSinkError(deviceId: string, thrown: unknown): void {
    this.log.error({ deviceId, ...errorFields(thrown) }, 'The answer of a call could not be passed on');
  }
}
