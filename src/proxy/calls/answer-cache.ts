import { type AnswerHeaders } from '../../device-api/http.js';

/*
 * A cache of device answers, for callers that request it. Limited by bytes; the least recently used entry goes first.
 * Keyed by device, so that one write drops all entries of it.
 */

/** A complete answer with the time of its request. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  /** Clock time in milliseconds when the call began; the answer may describe the device as it was then. */
  readonly askedAt: number;
}

/** Memory of an entry besides its body: the key, headers and its share of three maps. */
const ENTRY_BYTES = 2_048;

interface Entry {
  readonly deviceId: string;
  readonly key: string;
  readonly answer: WholeAnswer;
}

export class AnswerCache {
  /** All entries, least recently used first. */
  private readonly byUse = new Set<Entry>();
  private readonly byDevice = new Map<string, Map<string, Entry>>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** The answer for a key of a device, of any age. */
  find(deviceId: string, key: string): WholeAnswer | undefined {
    const entry = this.byDevice.get(deviceId)?.get(key);
    if (!entry) return undefined;
    this.byUse.delete(entry);
    this.byUse.add(entry);
    return entry.answer;
  }

  /** Stores an answer in place of the earlier one; others are dropped when there is no space. */
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

  /** Drops all answers of a device. */
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
