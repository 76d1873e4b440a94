import { type LookupFunction } from 'node:net';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { type DeviceClient, openClient, type Trust } from '../../device-api/http.js';
import { AddressRules } from '../../devices/registry/address-rules.js';
import { isForbiddenAddress } from '../../devices/registry/base-url.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { Ballast } from './ballast.js';

/*
 * The connections to devices. Each device has a few lanes of its own, never shared with another device, each of them one
 * connection that carries one call at a time. Lanes live for one base URL and one trust: when either changes they are
 * closed, so that nothing goes over a connection that was made under other rules.
 */

/** Puts another resolver in place of the system's. */
const DEVICE_LOOKUP = Symbol('device lookup');

/** One connection; `busy` while a call is on it. */
export interface DeviceConnection {
  readonly client: DeviceClient;
  readonly road: Road;
  busy: boolean;
}

interface Road {
  readonly baseUrl: string;
  readonly trust: Device['trust'];
  readonly trustCa: string | null;
  /** Null until the device was met. */
  pin: string | null;
  /** The version of the row into which the pin was written when the device was met over this road; 0: it was not. */
  metIn: number;
  readonly lanes: DeviceConnection[];
  readonly madeAt: number;
  usedAt: number;
  /** The row for which this road was last found right; rows are replaced, never changed. */
  checkedFor: Readonly<Device>;
}

/** An idle connection costs 48 KB and no CPU; a minute covers pages that poll and jobs that step. */
const IDLE_MS = 60_000;

/** Connections are renewed so that name, address and key are looked at again. */
const MAX_AGE_MS = 10 * 60_000;

/** Devices with open lanes; above it the ones that were used longest ago are closed. 20,000 take about 1.3 GB. */
const MAX_ROADS = 20_000;

const SWEEP_MS = 5_000;

@Injectable()
export class Transport {
  private readonly roads = new Map<string, Road>();
  private readonly sweeper: NodeJS.Timeout;
  private readonly stopListening: () => void;
  private readonly ballast = new Ballast();
  private openConnections = 0;

  constructor(
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'takePin' | 'target' | 'onChange'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'deviceConnections'>,
    @Optional() @Inject(DEVICE_LOOKUP) private readonly lookup?: LookupFunction,
  ) {
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.stopListening = devices.onChange((deviceId) => this.drop(deviceId));
  }

  /**
   * A free lane to a device; `release` it after the call.
   * @throws AppError `device_tls_failed` when the trust `insecure` of the device has ended
   */
  lane(device: Readonly<Device>): DeviceConnection {
    const road = this.road(device);
    road.usedAt = this.clock.nowMs();
    for (const lane of road.lanes) {
      if (lane.busy) continue;
      lane.busy = true;
      return lane;
    }
    const lane: DeviceConnection = { client: this.open(device, road), road, busy: true };
    road.lanes.push(lane);
    return lane;
  }

  /** Whether there is an open connection to a device. */
  isOpen(deviceId: string): boolean {
    return this.roads.get(deviceId)?.lanes.some(({ client }) => client.stats.connected) ?? false;
  }

  release(lane: DeviceConnection): void {
    lane.busy = false;
    // A lane whose road was dropped while it was in use ends now.
    if (!lane.road.lanes.includes(lane)) void lane.client.destroy();
  }

  /** Closes everything; calls that are under way fail. */
  async close(): Promise<void> {
    clearInterval(this.sweeper);
    this.stopListening();
    const lanes = [...this.roads.values()].flatMap((road) => road.lanes);
    this.roads.clear();
    this.ballast.end();
    await Promise.all(lanes.map((lane) => lane.client.destroy()));
  }

  private road(device: Readonly<Device>): Road {
    const known = this.roads.get(device.id);
    if (known?.checkedFor === device) return known;
    if (device.trust === 'insecure' && (device.trustExpiresAt ?? new Date(0)) <= this.clock.now()) {
      this.drop(device.id);
      throw new AppError('device_tls_failed', { reason: 'the trust `insecure` of this device has ended' });
    }
    if (known && fits(known, device)) {
      known.pin = device.trustPin ?? known.pin;
      // `insecure` ends by the clock, so it is looked at each time.
      if (device.trust !== 'insecure') known.checkedFor = device;
      return known;
    }
    if (known) this.drop(device.id);
    const now = this.clock.nowMs();
    const { baseUrl, trust, trustCa, trustPin: pin } = device;
    const road: Road = {
      baseUrl,
      trust,
      trustCa,
      pin,
      metIn: 0,
      lanes: [],
      madeAt: now,
      usedAt: now,
      checkedFor: device,
    };
    this.roads.set(device.id, road);
    if (this.roads.size > MAX_ROADS) this.dropOldest();
    return road;
  }

  private open(device: Readonly<Device>, road: Road): DeviceClient {
    const client = openClient(device.baseUrl, trustOf(device, road), {
      forbids: (address, port) => isForbiddenAddress(address, port, this.addresses.policy()),
      adopt: (pin) => this.adopt(device.id, road, pin),
      ...(this.lookup ? { lookup: this.lookup } : {}),
    });
    return client.on('connect', this.countOpened).on('disconnect', this.countClosed);
  }

  private readonly countOpened = (): void => this.countConnections(1);
  private readonly countClosed = (): void => this.countConnections(-1);

  private countConnections(more: number): void {
    this.openConnections += more;
    this.metrics.deviceConnections.set(this.openConnections);
    this.ballast.balance(this.openConnections);
  }

  /** First contact: the pin is written down, with its audit entry, before anything is said to the device. */
  private async adopt(deviceId: string, road: Road, pin: string): Promise<string> {
    if (road.pin !== null) return road.pin; // another lane was first
    await this.devices.takePin(deviceId, pin);
    const { device } = await this.devices.target(deviceId);
    road.pin ??= device.trustPin ?? pin;
    road.metIn = device.version;
    return road.pin;
  }

  private drop(deviceId: string): void {
    const road = this.roads.get(deviceId);
    if (!road) return;
    this.roads.delete(deviceId);
    for (const lane of road.lanes.splice(0)) if (!lane.busy) void lane.client.destroy();
  }

  private sweep(): void {
    const now = this.clock.nowMs();
    for (const [deviceId, road] of this.roads) {
      if (road.lanes.some((lane) => lane.busy)) continue;
      if (now - road.usedAt > IDLE_MS || now - road.madeAt > MAX_AGE_MS) this.drop(deviceId);
    }
  }

  /** Of the roads that were made first, the one that was used longest ago; a look at all would cost each new device. */
  private dropOldest(): void {
    let oldest: [string, Road] | undefined;
    let looked = 0;
    for (const entry of this.roads) {
      const isBusy = entry[1].lanes.some((lane) => lane.busy);
      if (!isBusy && (!oldest || entry[1].usedAt < oldest[1].usedAt)) oldest = entry;
      if (++looked === 32) break;
    }
    if (oldest) this.drop(oldest[0]);
  }
}

function fits(road: Road, device: Readonly<Device>): boolean {
  const { baseUrl, trust, trustCa, trustPin, version } = device;
  if (road.baseUrl !== baseUrl || road.trust !== trust || road.trustCa !== trustCa) return false;
  // A row that was read before the first contact was written down knows no pin yet; a later one has lost it.
  return trust !== 'pin' || road.pin === trustPin || (trustPin === null && version < road.metIn);
}

function trustOf(device: Readonly<Device>, road: Road): Trust {
  switch (device.trust) {
    case 'pin':
      return { mode: 'pin', pin: road.pin };
    case 'ca':
      return { mode: 'ca', ca: device.trustCa ?? '' };
    case 'insecure':
      return { mode: 'insecure' };
  }
}
