import { LRUCache } from 'lru-cache';
import { type AnswerHeaders } from '../../device-api/exchange.js';

/*
 * A cache of device answers, for callers that request it. Limited by bytes; the least recently used entry goes first.
 * Keyed by device, so that one write drops all entries of it.
 */

/** A complete answer with the time of its request. */
export interface CompleteAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  /** Clock time in milliseconds when the call began; the answer may describe the device as it was then. */
  readonly startedAt: number;
}

/** Memory of an entry besides its body: the key, headers and its share of three maps. */
const ENTRY_BYTES = 2_048;

interface Entry {
  readonly deviceId: string;
  readonly answer: CompleteAnswer;
}

export class AnswerCache {
  private readonly entries: LRUCache<string, Entry>;
  /** The keys of the entries of each device. */
  private readonly byDevice = new Map<string, Set<string>>();

  constructor(maxBytes: number) {
    this.entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ deviceId, answer }, key) => answer.body.length + key.length - deviceId.length + ENTRY_BYTES,
      dispose: ({ deviceId }, key) => {
        const keys = this.byDevice.get(deviceId);
        if (keys?.delete(key) && keys.size === 0) this.byDevice.delete(deviceId);
      },
    });
  }

  /** The answer for a key of a device, of any age. */
  find(deviceId: string, key: string): CompleteAnswer | undefined {
    return this.entries.get(deviceId + key)?.answer;
  }

  /** Stores an answer in place of the earlier one; others are dropped when there is no space. */
  store(deviceId: string, key: string, answer: CompleteAnswer): void {
    this.entries.set(deviceId + key, { deviceId, answer });
    if (!this.entries.has(deviceId + key)) return; // it is larger than the cache
    const keys = this.byDevice.get(deviceId);
    if (keys) keys.add(deviceId + key);
    else this.byDevice.set(deviceId, new Set([deviceId + key]));
  }

  /** Drops all answers of a device. */
  drop(deviceId: string): void {
    for (const key of this.byDevice.get(deviceId) ?? []) this.entries.delete(key);
  }
}
