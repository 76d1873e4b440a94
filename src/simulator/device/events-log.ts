/* The events log of one device: what `GET /api/events_log/config/{type}` lists, newest first. */
import type { EVENT_LOGS } from '../../device-api/contract.js';
import type { LedgerEffect } from './ledger.js';
import type { Random } from './random.js';

/** A device keeps the latest ones only (chosen). */
const MAX_ENTRIES = 100;

/** Where an effect is logged and what the log calls it; the others are not logged. */
const LOGGED: Partial<Record<LedgerEffect, readonly [(typeof EVENT_LOGS)[number], string, string]>> = {
  login: ['connections', 'WebUI', 'Authentication was successful'],
  create: ['events', 'Config', 'Configuration was created'],
  update: ['events', 'Config', 'Configuration was changed'],
  delete: ['events', 'Config', 'Configuration was deleted'],
  backup: ['system', 'Backup', 'Backup was generated'],
  restore: ['system', 'Backup', 'Backup was restored'],
  flash: ['system', 'FW', 'Firmware was upgraded'],
  reboot: ['system', 'Reboot', 'Device is rebooting'],
  'factory-reset': ['system', 'Reset', 'Factory settings were restored'],
};

/** What a device logs by itself in a month, each equally often. */
const BY_ITSELF: readonly (readonly [(typeof EVENT_LOGS)[number], string, (random: Random) => string])[] = [
  ['network', 'Mobile Data', (random) => `Mobile data connected, RSSI -${random.integer(48, 84)} dBm`],
  ['network', 'Mobile Data', () => 'Mobile data disconnected'],
  [
    'network',
    'DHCP',
    (random) => `Leased 192.168.1.${random.integer(100, 249)} address for client 02:1E:${random.integer(10, 99)}`,
  ],
  ['connections', 'SSH', (random) => `Bad password attempt from 192.168.1.${random.integer(100, 249)}`],
  ['system', 'NTP', () => 'Time was synchronised with the server'],
];

export class EventsLog {
  /** Since the log was first used; the newest last. */
  private readonly entries: LogEntry[] = [];
  /** Entries from before, and all that were ever made. */
  private readonly before: number;
  private made: number;

  /** @param random gives what the device logged between `startedAt` and `now`, both in milliseconds since 1970 */
  constructor(
    private readonly random: Random,
    private readonly startedAt: number,
    private readonly now: number,
  ) {
    this.made = this.before = random.fork('count').integer(40, MAX_ENTRIES - 4);
  }

  add(at: number, effect: LedgerEffect, detail?: string): void {
    const [type, kind, text] = LOGGED[effect] ?? [];
    if (!type || !kind || !text) return;
    this.entries.push(entryOf(++this.made, at, type, kind, detail === undefined ? text : `${text}: ${detail}`));
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
  }

  list(type: string | undefined, limit: number, offset: number): { entries: LogEntry[]; total: number } {
    const kept = [...this.history(), ...this.entries].slice(-MAX_ENTRIES);
    const all = type === undefined ? kept : kept.filter((entry) => entry.type === type);
    return { entries: all.toReversed().slice(offset, offset + limit), total: all.length };
  }

  /** What the device logged before. Made at each reading: a fleet of ten thousand keeps nothing of it. */
  private history(): LogEntry[] {
    const random = this.random.fork('history');
    const entries = [entryOf(1, this.startedAt, 'system', 'Startup', 'Device startup completed')];
    for (let id = 2; id <= this.before; id++) {
      const at = this.startedAt + ((this.now - this.startedAt) * id) / (this.before + 1);
      const [type, kind, event] = BY_ITSELF[random.integer(0, BY_ITSELF.length - 1)]!;
      entries.push(entryOf(id, at, type, kind, event(random)));
    }
    return entries;
  }
}

type LogEntry = ReturnType<typeof entryOf>;

const entryOf = (id: number, at: number, type: string, kind: string, event: string) => ({
  id: String(id),
  type,
  event_type: kind,
  event,
  date: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
  timestamp: String(Math.floor(at / 1000)),
});
