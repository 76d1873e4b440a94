import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../../device-api/contract.js';
import { Locks } from '../../auth/access/locks.service.js';
import { sourceOf } from '../../auth/rights/address-list.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { UNKNOWN_ADDRESS } from '../../http/caller-address.js';
import { DeviceBreakers } from '../calls/device-breakers.js';
import { CallExecutor } from '../calls/call-executor.js';
import { type CallRequest } from '../connections/call-request.js';
import { exchangeError } from '../connections/device-errors.js';
import { DeviceLogin, type OwnStatus } from '../sessions/device-login.js';

/*
 * Whether the façade may say that a device is there. Clients wait with `unauthorized/status` for the end of an upgrade, so
 * an answer of the gateway alone would end their wait at once. While the device may be away it is asked itself.
 *
 * The path needs no key, so its answer must not show which names exist. It tells about a device only to an address from
 * which a valid key used that name in the last minutes, or to all with FACADE_STATUS=device.
 */

/** How long a name stays known to an address: an upgrade takes up to seven minutes. */
const USED_MS = 15 * 60_000;

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

/** Known names, and the latest addresses of one name. */
const NAMES_MAX = 10_000;
const ADDRESSES_MAX = 16;

/** Callers share a request to the device while it runs, and its outcome for this time: the path needs no key. */
const SHARED_MS = 250;

interface KnownName {
  readonly deviceId: string;
  /** When a valid key last used the name, by the network of its caller. */
  readonly usedAt: Map<string, number>;
}

interface StatusRequest {
  /** Null while it runs. */
  endedAt: number | null;
  readonly status: Promise<OwnStatus>;
}

@Injectable()
export class FacadeStatus {
  private readonly names = boundedCache<string, KnownName>(NAMES_MAX);
  /** When a write that makes a device go away was last passed to it, by device. */
  private readonly outages = boundedCache<string, number>(OUTAGES_MAX);
  private readonly requests = boundedCache<string, StatusRequest>(NAMES_MAX);

  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get'>,
    @Inject(DeviceLogin) private readonly login: Pick<DeviceLogin, 'requireStatus'>,
    @Inject(DeviceBreakers) private readonly breakers: Pick<DeviceBreakers, 'describe'>,
    @Inject(CallExecutor) executor: Pick<CallExecutor, 'onWrite'>,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseDevice'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'FACADE_STATUS'>,
  ) {
    executor.onWrite((deviceId, call) => this.noteOutage(deviceId, call));
  }

  /** Records that a valid key used a name of a device. An address that is unknown would stand for all such callers. */
  noteUse(name: string, address: string, deviceId: string): void {
    if (address === UNKNOWN_ADDRESS) return;
    let known = this.names.get(name);
    if (known?.deviceId !== deviceId) this.names.set(name, (known = { deviceId, usedAt: new Map() }));
    const source = sourceOf(address);
    if (!known.usedAt.has(source) && known.usedAt.size >= ADDRESSES_MAX)
      known.usedAt.delete(known.usedAt.keys().next().value!);
    known.usedAt.set(source, this.clock.nowMs());
  }

  /**
   * The device of which a caller without a key may learn.
   * @param resolve finds the device of the name
   * @returns null when the answer must depend on the name alone
   * @throws AppError `device_not_found` where names are no secret
   */
  async deviceOf(
    name: string,
    address: string,
    resolve: () => Promise<Readonly<Device>>,
  ): Promise<Readonly<Device> | null> {
    if (this.config.FACADE_STATUS === 'device') return resolve();
    const known = this.names.get(name);
    const usedAt = known?.usedAt.get(sourceOf(address)) ?? Number.NEGATIVE_INFINITY;
    if (!known || this.clock.nowMs() - usedAt > USED_MS) return null;
    const registered = await this.devices.get(known.deviceId).catch(nullWhenRemoved);
    return registered?.device ?? null;
  }

  /**
   * @returns the model and API version of the device, as far as they are known
   * @throws AppError of the call when the device may be away, and does not answer now; `locked`
   */
  async requirePresent(device: Readonly<Device>): Promise<OwnStatus> {
    const { model, apiVersion } = device;
    if (this.config.FACADE_STATUS === 'gateway' && !this.mayBeAway(device)) return { model, apiVersion };
    const own = await this.ask(device);
    return { model: own.model ?? model, apiVersion: own.apiVersion ?? apiVersion };
  }

  private mayBeAway(device: Readonly<Device>): boolean {
    if (device.state === 'offline' || this.breakers.describe(device).failures > 0) return true;
    return this.clock.nowMs() - (this.outages.get(device.id) ?? Number.NEGATIVE_INFINITY) < OUTAGE_MS;
  }

  /** Notes a write after which the device goes away for some minutes. */
  private noteOutage(deviceId: string, { acts }: CallRequest): void {
    if (acts.some(({ method, path }) => method === 'POST' && OUTAGES.has(path)))
      this.outages.set(deviceId, this.clock.nowMs());
  }

  private ask(device: Readonly<Device>): Promise<OwnStatus> {
    this.locks.refuseDevice(device);
    const shared = this.requests.get(device.id);
    if (shared && (shared.endedAt === null || this.clock.nowMs() - shared.endedAt < SHARED_MS)) return shared.status;
    if (device.state === 'trust_changed') throw new AppError('device_trust_changed', { pinned: device.trustPin });
    const asked = this.login.requireStatus(device).catch((error: unknown) => {
      throw exchangeError(error, false);
    });
    const status = asked.finally(() => (request.endedAt = this.clock.nowMs()));
    const request: StatusRequest = { endedAt: null, status };
    this.requests.set(device.id, request);
    return status;
  }
}

function nullWhenRemoved(error: unknown): null {
  if (error instanceof AppError && error.code === 'device_not_found') return null;
  throw error;
}
