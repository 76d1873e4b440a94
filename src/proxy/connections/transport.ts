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
 * The connections to devices. Each device has a few connections, never shared with another device, each with one call
 * at a time. They belong to one base URL and one trust. When either changes they are closed, so that nothing is sent
 * over a connection made under other rules.
 */

/** Injection token that replaces the system's resolver. */
const DEVICE_LOOKUP = Symbol('device lookup');

/** One connection; `busy` during a call. */
export interface DeviceConnection {
  readonly client: DeviceClient;
  readonly road: Road;
  busy: boolean;
}

interface Road {
  readonly baseUrl: string;
  readonly trust: Device['trust'];
  readonly trustCa: string | null;
  /** Null until the first contact. */
  pin: string | null;
  /** The version of the row into which the first contact over this connection wrote the pin; 0: it did not. */
  metIn: number;
  readonly lanes: DeviceConnection[];
  readonly madeAt: number;
  usedAt: number;
  /** The row for which this entry was last checked; rows are replaced, never changed. */
  checkedFor: Readonly<Device>;
}

/** An idle connection costs 48 KB and no CPU; a minute covers polling pages and the steps of jobs. */
const IDLE_MS = 60_000;

/** Connections are renewed so that name, address and key are checked again. */
const MAX_AGE_MS = 10 * 60_000;

/** The most devices with open connections; the least recently used are closed beyond it. 20,000 take about 1.3 GB. */
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
   * A free connection to a device; call `release` after the call.
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
    // A connection that was dropped while in use ends now.
    if (!lane.road.lanes.includes(lane)) void lane.client.destroy();
  }

  /** Closes all connections; running calls fail. */
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
      // `insecure` expires, so it is checked each time.
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

  /** First contact: stores the pin, with its audit entry, before anything is sent to the device. */
  private async adopt(deviceId: string, road: Road, pin: string): Promise<string> {
    if (road.pin !== null) return road.pin; // another connection was first
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

  /** Closes the least recently used of the oldest entries; searching all of them would cost each new device. */
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
  // A row read before the first contact has no pin yet; a later row without one has lost it.
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
