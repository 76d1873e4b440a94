import { type AnswerHeaders } from '../../device-api/http.js';

/*
 * Answers of devices that somebody asked to be kept. Bounded by bytes, the one that was used longest ago goes first; keyed
 * by device, so that one write drops all that is known of it.
 */

/** An answer as a whole: what the device said, and when it was asked. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  /** Milliseconds of the clock when the call began: the answer may say what was so then. */
  readonly askedAt: number;
}

/** What an entry takes beside its body: the key, headers and three maps' share. */
const ENTRY_BYTES = 2_048;

interface Entry {
  readonly deviceId: string;
  readonly key: string;
  readonly answer: WholeAnswer;
}

export class AnswerCache {
  /** All entries, the one that was used longest ago first. */
  private readonly byUse = new Set<Entry>();
  private readonly byDevice = new Map<string, Map<string, Entry>>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** The answer for a key of a device, however old it is. */
  find(deviceId: string, key: string): WholeAnswer | undefined {
    const entry = this.byDevice.get(deviceId)?.get(key);
    if (!entry) return undefined;
    this.byUse.delete(entry);
    this.byUse.add(entry);
    return entry.answer;
  }

  /** Keeps an answer in the place of the one before; others go when there is no room. */
  keep(deviceId: string, key: string, answer: WholeAnswer): void {
    let entries = this.byDevice.get(deviceId);
    const before = entries?.get(key);
    if (before) this.remove(before);
    entries = this.byDevice.get(deviceId);
    if (!entries) this.byDevice.set(deviceId, (entries = new Map<string, Entry>()));
    const entry: Entry = { deviceId, key, answer };
    entries.set(key, entry);
    this.byUse.add(entry);
    this.bytes += sizeOf(entry);
    for (const oldest of this.byUse) {
      if (this.bytes <= this.maxBytes) break;
      this.remove(oldest);
    }
  }

  /** Drops everything that is known of a device. */
  drop(deviceId: string): void {
    const entries = this.byDevice.get(deviceId);
    if (entries) for (const entry of entries.values()) this.remove(entry);
  }

  private remove(entry: Entry): void {
    this.byUse.delete(entry);
    this.bytes -= sizeOf(entry);
    const entries = this.byDevice.get(entry.deviceId);
    entries?.delete(entry.key);
    if (entries?.size === 0) this.byDevice.delete(entry.deviceId);
  }
}

const sizeOf = ({ key, answer }: Entry): number => answer.body.length + key.length + ENTRY_BYTES;
