import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { Batching } from '../../database/batching.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { selectRegistered, type DeviceWithAccounts } from './device.queries.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Cache of devices with their accounts for calls. An entry lives until a notification of its change, so that a call, a
 * login and a fan-out over thousands query nothing. Without notifications an entry lives for a second.
 */

const CACHED_MS_UNNOTIFIED = 1_000;

/** The most devices in the cache; the least recently used go first. A device takes about 1 KB. */
const CACHE_SIZE = 50_000;

/** Devices of one statement: few round trips, and results that do not block the event loop. */
const READ_AT_ONCE = 1_000;

@Injectable()
export class DeviceCache {
  private readonly entries = boundedCache<string, { readonly registered: DeviceWithAccounts; readonly readAt: number }>(
    CACHE_SIZE,
  );
  /** Running queries: callers of the same device share one. */
  private readonly pending = new Map<string, Promise<DeviceWithAccounts | null>>();
  /** For each running query the devices that changed since it began, null for all: its result may be outdated. */
  private readonly readings = new Set<Set<string | null>>();
  /** After a start hundreds of calls and jobs query devices at the same moment; they share a statement. */
  private readonly queries = new Batching<string, DeviceWithAccounts | null>((ids) => this.answer(ids));

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'on' | 'isListening'>,
  ) {
    notifications.on('device', (deviceId) => this.drop(deviceId));
  }

  /** The cached device; undefined when it must be queried. */
  peek(deviceId: string): DeviceWithAccounts | undefined {
    const found = this.entries.get(deviceId);
    if (!found) return undefined;
    return this.notifications.isListening || this.clock.nowMs() - found.readAt < CACHED_MS_UNNOTIFIED
      ? found.registered
      : undefined;
  }

  /** From the cache or the database; null when there is no such device. */
  async find(deviceId: string): Promise<DeviceWithAccounts | null> {
    const known = this.peek(deviceId) ?? this.pending.get(deviceId);
    if (known) return known;
    const query = this.ask(deviceId).finally(() => {
      if (this.pending.get(deviceId) === query) this.pending.delete(deviceId);
    });
    this.pending.set(deviceId, query);
    return query;
  }

  /** The present state in the database. */
  ask(deviceId: string): Promise<DeviceWithAccounts | null> {
    return this.queries.add(deviceId);
  }

  /** Many devices by their ids; missing ones are omitted. */
  async findAll(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeviceWithAccounts>> {
    const found = new Map<string, DeviceWithAccounts>();
    const missing: string[] = [];
    for (const id of deviceIds) {
      const known = this.peek(id);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      for (const registered of await this.read(missing.slice(from, from + READ_AT_ONCE))) {
        found.set(registered.device.id, registered);
      }
    }
    return found;
  }

  /** Drops a changed device; null drops all. */
  drop(deviceId: string | null): void {
    for (const changed of this.readings) changed.add(deviceId);
    if (deviceId === null) {
      this.entries.clear();
      this.pending.clear();
    } else {
      this.entries.delete(deviceId);
      this.pending.delete(deviceId);
    }
  }

  private async answer(deviceIds: readonly string[]): Promise<(DeviceWithAccounts | null)[]> {
    const devices = await this.read([...new Set(deviceIds)]);
    const byId = new Map(devices.map((registered) => [registered.device.id, registered]));
    return deviceIds.map((id) => byId.get(id) ?? null);
  }

  private async read(deviceIds: readonly string[]): Promise<DeviceWithAccounts[]> {
    const changed = new Set<string | null>();
    this.readings.add(changed);
    const readAt = this.clock.nowMs();
    try {
      const devices = await selectRegistered(this.db, 'where device.id = any($1::uuid[])', [deviceIds]);
      for (const registered of devices) {
        const { id } = registered.device;
        if (!changed.has(null) && !changed.has(id)) this.entries.set(id, { registered, readAt });
      }
      return devices;
    } finally {
      this.readings.delete(changed);
    }
  }
}
