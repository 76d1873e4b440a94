/* The events log of one device: what `GET /api/events_log/config/{type}` lists, newest first. */
import type { EVENT_LOGS } from '../device-api/contract.js';
import type { Effect } from './ledger.js';
import type { Random } from './random.js';

export interface LogEntry {
  readonly id: string;
  readonly type: string;
  readonly event_type: string;
  readonly event: string;
  readonly date: string;
  readonly timestamp: string;
}

/** A device keeps the latest ones only (chosen). */
const MAX_ENTRIES = 100;

/** Where an effect is logged and what the log calls it; the others are not logged. */
const LOGGED: Partial<Record<Effect, readonly [(typeof EVENT_LOGS)[number], string, string]>> = {
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

export class EventsLog {
  private entries: LogEntry[] = [];
  private made = 0;

  /** Starts with what a device logs while it starts. */
  constructor(random: Random, startedAt: number) {
    this.write(startedAt, 'system', 'Startup', 'Device startup completed');
    for (let second = 20; second <= 60; second += 20) {
      this.write(
        startedAt + second * 1000,
        'network',
        'Mobile Data',
        `Mobile data connected, RSSI -${random.integer(55, 95)} dBm`,
      );
    }
  }

  add(at: number, effect: Effect, detail?: string): void {
    const [type, kind, text] = LOGGED[effect] ?? [];
    if (type && kind && text) this.write(at, type, kind, detail === undefined ? text : `${text}: ${detail}`);
  }

  list(type: string | undefined, limit: number, offset: number): { entries: LogEntry[]; total: number } {
    const all = type === undefined ? this.entries : this.entries.filter((entry) => entry.type === type);
    return { entries: all.toReversed().slice(offset, offset + limit), total: all.length };
  }

  private write(at: number, type: string, kind: string, event: string): void {
    this.entries.push({
      id: String(++this.made),
      type,
      event_type: kind,
      event,
      date: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      timestamp: String(Math.floor(at / 1000)),
    });
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
  }
}
