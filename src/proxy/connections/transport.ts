import { type LookupFunction } from 'node:net';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { type ConnectStage, type DeviceClient, openClient, type Trust } from '../../device-api/http.js';
import { AddressRules } from '../../devices/registry/address-rules.js';
import { isForbiddenAddress } from '../../devices/registry/base-url.js';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { ExternalMemoryReserve } from './external-memory-reserve.js';

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
  readonly pool: DevicePool;
  busy: boolean;
}

/** The connections to one device, all to one address under one trust. */
interface DevicePool {
  readonly address: string;
  readonly trust: Device['trust'];
  readonly trustCa: string | null;
  /** Null until the first contact. */
  pin: string | null;
  /** The version of the row in which the first contact of this pool stored the pin; 0: it stored none. */
  pinnedInVersion: number;
  readonly connections: DeviceConnection[];
  readonly createdAt: number;
  usedAt: number;
  /** The row for which this entry was last checked; rows are replaced, never changed. */
  checkedFor: Readonly<Device>;
}

/**
 * An idle client is dropped after a minute, which covers polling pages and the steps of jobs. With an open connection it
 * costs 48 KB and no CPU. The connection closes earlier, after seconds that the device's own hint may prolong
 * (`KEEP_ALIVE_MS` in `device-api/http.ts`).
 */
const IDLE_MS = 60_000;

/** Connections are renewed so that name, address and key are checked again. */
const MAX_AGE_MS = 10 * 60_000;

/** The most devices with open connections, about 1.3 GB; beyond it the least recently used are closed. */
const MAX_DEVICES = 20_000;

const SWEEP_MS = 5_000;

@Injectable()
export class Transport {
  private readonly pools = new Map<string, DevicePool>();
  private readonly idleTimer: NodeJS.Timeout;
  private readonly stopListening: () => void;
  private readonly reserve = new ExternalMemoryReserve();
  private openConnections = 0;

  constructor(
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'policy'>,
    @Inject(DevicesService)
    private readonly devices: Pick<DevicesService, 'takePin' | 'noteCertificate' | 'get' | 'onChange'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'deviceConnections'>,
    @Optional() @Inject(DEVICE_LOOKUP) private readonly lookup?: LookupFunction,
  ) {
    this.idleTimer = setInterval(() => this.closeIdle(), SWEEP_MS).unref();
    this.stopListening = devices.onChange((deviceId) => this.drop(deviceId));
  }

  /**
   * A free connection to a device; call `release` after the call.
   * @throws AppError `device_tls_failed` when the trust `insecure` of the device has ended
   */
  acquireConnection(device: Readonly<Device>): DeviceConnection {
    const pool = this.poolOf(device);
    pool.usedAt = this.clock.nowMs();
    for (const connection of pool.connections) {
      if (connection.busy) continue;
      connection.busy = true;
      return connection;
    }
    const connection: DeviceConnection = { client: this.open(device, pool), pool, busy: true };
    pool.connections.push(connection);
    return connection;
  }

  /**
   * A connection of its own, opened for one call and closed by `release`: the call shows each stage of the way there.
   * @throws AppError as `acquireConnection`
   */
  openConnection(device: Readonly<Device>, notePassed: (stage: ConnectStage) => void): DeviceConnection {
    const pool = this.poolOf(device);
    pool.usedAt = this.clock.nowMs();
    return { client: this.open(device, pool, notePassed), pool, busy: true };
  }

  /** Whether there is an open connection to a device. */
  isOpen(deviceId: string): boolean {
    return this.pools.get(deviceId)?.connections.some(({ client }) => client.stats.connected) ?? false;
  }

  release(connection: DeviceConnection): void {
    connection.busy = false;
    // A connection that was dropped while in use ends now.
    if (!connection.pool.connections.includes(connection)) void connection.client.destroy();
  }

  /** Closes all connections; running calls fail. */
  async close(): Promise<void> {
    clearInterval(this.idleTimer);
    this.stopListening();
    const connections = [...this.pools.values()].flatMap((pool) => pool.connections);
    this.pools.clear();
    this.reserve.end();
    await Promise.all(connections.map((connection) => connection.client.destroy()));
  }

  private poolOf(device: Readonly<Device>): DevicePool {
    const known = this.pools.get(device.id);
    if (known?.checkedFor === device) return known;
    if (device.trust === 'insecure' && (device.trustExpiresAt ?? new Date(0)) <= this.clock.now()) {
      this.drop(device.id);
      throw new AppError('device_tls_failed', { reason: 'the trust `insecure` of this device has ended' });
    }
    if (known && isStillRight(known, device)) {
      known.pin = device.trustPin ?? known.pin;
      // `insecure` expires, so it is checked each time.
      if (device.trust !== 'insecure') known.checkedFor = device;
      return known;
    }
    if (known) this.drop(device.id);
    const now = this.clock.nowMs();
    const { trust, trustCa, trustPin: pin } = device;
    const pool: DevicePool = {
      address: addressOf(device),
      trust,
      trustCa,
      pin,
      pinnedInVersion: 0,
      connections: [],
      createdAt: now,
      usedAt: now,
      checkedFor: device,
    };
    this.pools.set(device.id, pool);
    if (this.pools.size > MAX_DEVICES) this.dropOldest();
    return pool;
  }

  private open(device: Readonly<Device>, pool: DevicePool, notePassed?: (stage: ConnectStage) => void): DeviceClient {
    const client = openClient(addressOf(device), trustOf(device, pool), {
      forbids: (address, port) => isForbiddenAddress(address, port, this.addresses.policy()),
      takePin: (pin) => this.takePin(device.id, pool, pin),
      noteCertificate: (der) => this.devices.noteCertificate(device.id, der),
      ...(notePassed ? { notePassed } : {}),
      ...(this.lookup ? { lookup: this.lookup } : {}),
    });
    return client.on('connect', this.countOpened).on('disconnect', this.countClosed);
  }

  private readonly countOpened = (): void => this.countConnections(1);
  private readonly countClosed = (): void => this.countConnections(-1);

  private countConnections(more: number): void {
    this.openConnections += more;
    this.metrics.deviceConnections.set(this.openConnections);
    this.reserve.balance(this.openConnections);
  }

  /** First contact: stores the pin, with its audit entry, before anything is sent to the device. */
  private async takePin(deviceId: string, pool: DevicePool, pin: string): Promise<string> {
    if (pool.pin !== null) return pool.pin; // another connection was first
    await this.devices.takePin(deviceId, pin);
    const { device } = await this.devices.get(deviceId);
    pool.pin ??= device.trustPin ?? pin;
    pool.pinnedInVersion = device.version;
    return pool.pin;
  }

  private drop(deviceId: string): void {
    const pool = this.pools.get(deviceId);
    if (!pool) return;
    this.pools.delete(deviceId);
    for (const connection of pool.connections.splice(0)) if (!connection.busy) void connection.client.destroy();
  }

  private closeIdle(): void {
    const now = this.clock.nowMs();
    for (const [deviceId, pool] of this.pools) {
      if (pool.connections.some((connection) => connection.busy)) continue;
      if (now - pool.usedAt > IDLE_MS || now - pool.createdAt > MAX_AGE_MS) this.drop(deviceId);
    }
  }

  /** Closes the least recently used of the oldest entries; searching all of them would cost each new device. */
  private dropOldest(): void {
    let oldest: [string, DevicePool] | undefined;
    let looked = 0;
    for (const entry of this.pools) {
      const isBusy = entry[1].connections.some((connection) => connection.busy);
      if (!isBusy && (!oldest || entry[1].usedAt < oldest[1].usedAt)) oldest = entry;
      if (++looked === 32) break;
    }
    if (oldest) this.drop(oldest[0]);
  }
}

function isStillRight(pool: DevicePool, device: Readonly<Device>): boolean {
  const { trust, trustCa, trustPin, version } = device;
  if (pool.address !== addressOf(device) || pool.trust !== trust || pool.trustCa !== trustCa) return false;
  // A row read before the first contact has no pin yet; a later row without one has lost it.
  return trust !== 'pin' || pool.pin === trustPin || (trustPin === null && version < pool.pinnedInVersion);
}

function trustOf(device: Readonly<Device>, pool: DevicePool): Trust {
  switch (device.trust) {
    case 'pin':
      return { mode: 'pin', pin: pool.pin };
    case 'ca':
      return { mode: 'ca', ca: device.trustCa ?? '' };
    case 'insecure':
      return { mode: 'insecure' };
  }
}
