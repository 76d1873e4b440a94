import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { PgNotifications } from '../../platform/database/pg-notifications.js';
import { selectTargets, type DeviceTarget } from './device.queries.js';

/*
 * Devices with their accounts, as the road to them needs them: remembered until a notice says that one changed, so that
 * a call, a login and a fan-out over thousands ask the database for nothing. Where no notices arrive nothing is
 * remembered for longer than a second.
 */

/** How long an answer from memory may be old while no notices arrive. */
const UNTOLD_MS = 1_000;

/** Devices held in memory; above it those that were read first go. A device takes about 1 KB. */
const MEMORY_SIZE = 50_000;

/** Devices that one statement reads: few round trips, and answers that do not hold up the event loop. */
const READ_AT_ONCE = 1_000;

interface Remembered {
  readonly target: DeviceTarget;
  readonly readAt: number;
}

/** A device that is asked for, with what the database says. */
interface Question {
  readonly deviceId: string;
  target: DeviceTarget | null;
}

/** What changed while something was being read: it may have been read as it was before. */
class Reading {
  private readonly changed = new Set<string>();
  private all = false;

  note(deviceId: string | null): void {
    if (deviceId === null) this.all = true;
    else this.changed.add(deviceId);
  }

  isOld(deviceId: string): boolean {
    return this.all || this.changed.has(deviceId);
  }
}

@Injectable()
export class DeviceMemory implements OnModuleDestroy {
  private readonly remembered = new Map<string, Remembered>();
  /** Asked for at this moment: all who want the same device meanwhile wait for the one answer. */
  private readonly asked = new Map<string, Promise<DeviceTarget | null>>();
  private readonly readings = new Set<Reading>();
  /** After a start hundreds of calls and jobs ask for a device each, at the same moment: they share a statement. */
  private readonly questions = new GroupCommit<Question>((questions) => this.answer(questions));
  private readonly stopListening: () => void;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notices: Pick<PgNotifications, 'on' | 'isListening'>,
  ) {
    this.stopListening = notices.on('device', (deviceId) => this.drop(deviceId));
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** What is remembered of a device; undefined when it must be asked for. */
  peek(deviceId: string): DeviceTarget | undefined {
    const found = this.remembered.get(deviceId);
    if (!found) return undefined;
    return this.notices.isListening || this.now() - found.readAt < UNTOLD_MS ? found.target : undefined;
  }

  /** From memory or else from the database; null when there is no such device. */
  async find(deviceId: string): Promise<DeviceTarget | null> {
    const known = this.peek(deviceId) ?? this.asked.get(deviceId);
    if (known) return known;
    const asking = this.ask(deviceId).finally(() => {
      if (this.asked.get(deviceId) === asking) this.asked.delete(deviceId);
    });
    this.asked.set(deviceId, asking);
    return asking;
  }

  /** As it stands in the database now. */
  async ask(deviceId: string): Promise<DeviceTarget | null> {
    const question: Question = { deviceId, target: null };
    await this.questions.add(question);
    return question.target;
  }

  /** Many at once, by their ids; one that is not there is left out. */
  async findAll(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeviceTarget>> {
    const found = new Map<string, DeviceTarget>();
    const missing: string[] = [];
    for (const id of deviceIds) {
      const known = this.peek(id);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      for (const target of await this.read(missing.slice(from, from + READ_AT_ONCE))) {
        found.set(target.device.id, target);
      }
    }
    return found;
  }

  /** Forgets a device that changed; all of them when null. */
  drop(deviceId: string | null): void {
    for (const reading of this.readings) reading.note(deviceId);
    if (deviceId === null) {
      this.remembered.clear();
      this.asked.clear();
    } else {
      this.remembered.delete(deviceId);
      this.asked.delete(deviceId);
    }
  }

  private async answer(questions: readonly Question[]): Promise<void> {
    const targets = await this.read([...new Set(questions.map(({ deviceId }) => deviceId))]);
    const byId = new Map(targets.map((target) => [target.device.id, target]));
    for (const question of questions) question.target = byId.get(question.deviceId) ?? null;
  }

  private async read(deviceIds: readonly string[]): Promise<DeviceTarget[]> {
    const reading = new Reading();
    this.readings.add(reading);
    const readAt = this.now();
    try {
      const targets = await selectTargets(this.db, 'where device.id = any($1::uuid[])', [deviceIds]);
      for (const target of targets) if (!reading.isOld(target.device.id)) this.remember({ target, readAt });
      return targets;
    } finally {
      this.readings.delete(reading);
    }
  }

  private remember(known: Remembered): void {
    const { id } = known.target.device;
    this.remembered.delete(id); // so that the map stays in the order of age
    this.remembered.set(id, known);
    if (this.remembered.size <= MEMORY_SIZE) return;
    for (const oldest of this.remembered.keys()) {
      this.remembered.delete(oldest);
      break;
    }
  }

  private now(): number {
    return this.clock.nowMs();
  }
}
