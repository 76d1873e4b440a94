import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { type QueueLimits, SlotQueue } from '../../platform/limits/slot-queue.js';
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

const LIMITS: QueueLimits = {
  total: AT_ONCE,
  perKey: AT_ONCE,
  mayTakeLast: true,
  /** At 20 to 80 ms each, the last in the queue waits for about two seconds. */
  waitingPerKey: 50,
  /** A bound for memory. Ten sources must have full queues to reach it. */
  waitingTotal: 500,
};

/** Of a text that no one knows. Names without a password are checked against it, which takes the same time. */
const UNKNOWN_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$O9VeneTlNlJdA63C0Mwlbw$xDQBk4paCG5VhDWbyo6bupL1/xlpO/A53cpvX9X7RTc';

@Injectable()
export class Passwords {
  private readonly queue = new SlotQueue(LIMITS, () => new AppError('login_queue_full', { retryAfterSeconds: 2 }));

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

  private work<Result>(address: string | null, task: () => Promise<Result>): Promise<Result> {
    return this.queue.run(sourceOf(address ?? 'unknown'), () => {
      this.metrics.passwordHashes.inc();
      return task();
    });
  }
}
