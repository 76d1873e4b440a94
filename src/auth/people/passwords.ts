import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { sourceOf } from '../rights/address-list.js';
import { normalPassword } from './password-rules.js';

/*
 * Passwords as argon2id hashes. Few hashes run at once, on separate threads, with a short queue for each source. So a flood
 * of sign-ins delays only sign-ins, and not calls to devices. Sources are served in turn: a flood from one of them delays the
 * sign-in of another one by a hash or two.
 */

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, parallelism 1. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Two of Node's four default worker threads; the others stay free for files and DNS. */
const AT_ONCE = 2;

/** Of one source. At 20 to 80 ms each, the last in the queue waits for about two seconds. */
const WAITING_PER_SOURCE_MAX = 50;

/** Of all sources: a bound for memory. Ten sources must have full queues to reach it. */
const WAITING_MAX = 500;

/** Of a text that no one knows. Names without a password are checked against it, which takes the same time. */
const UNKNOWN_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$O9VeneTlNlJdA63C0Mwlbw$xDQBk4paCG5VhDWbyo6bupL1/xlpO/A53cpvX9X7RTc';

@Injectable()
export class Passwords {
  private running = 0;
  /** What waits, by source; the next source to serve is the first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private waitingCount = 0;

  constructor(@Inject(Metrics) private readonly metrics: Metrics) {}

  /** @param address of the caller @throws AppError `login_queue_full` */
  hash(password: string, address: string | null): Promise<string> {
    return this.work(address, () => hash(normalPassword(password), COST));
  }

  /**
   * Without a hash the result is false, after the same work.
   * @param address of the caller
   * @throws AppError `login_queue_full`
   */
  async matches(password: string, hashed: string | null, address: string | null): Promise<boolean> {
    const isRight = await this.work(address, () => verify(hashed ?? UNKNOWN_HASH, normalPassword(password)));
    return isRight && hashed !== null;
  }

  /** Whether a hash has other parameters than new ones. */
  isOld(hashed: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed);
    return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism;
  }

  private async work<Result>(address: string | null, task: () => Promise<Result>): Promise<Result> {
    if (this.running >= AT_ONCE) await this.waitForSlot(sourceOf(address ?? 'unknown'));
    else this.running++;
    try {
      this.metrics.passwordHashes.inc();
      return await task();
    } finally {
      const next = this.next();
      if (next) next();
      else this.running--;
    }
  }

  private waitForSlot(source: string): Promise<void> {
    const queue = this.waiting.get(source) ?? [];
    if (queue.length >= WAITING_PER_SOURCE_MAX || this.waitingCount >= WAITING_MAX) {
      throw new AppError('login_queue_full', { retryAfterSeconds: 2 });
    }
    this.waitingCount++;
    this.waiting.set(source, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  /** The oldest of the first source, which is the last one then. */
  private next(): (() => void) | undefined {
    const [first] = this.waiting;
    if (!first) return undefined;
    const [source, queue] = first;
    const next = queue.shift();
    this.waitingCount--;
    this.waiting.delete(source);
    if (queue.length > 0) this.waiting.set(source, queue);
    return next;
  }
}
