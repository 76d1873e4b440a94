import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { normalPassword } from './password-rules.js';

/*
 * Passwords as argon2id hashes. Few hashes run at once, on separate threads, with a short queue. So a flood of sign-ins
 * delays only sign-ins, and not calls to devices.
 */

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, parallelism 1. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Two of Node's four default worker threads; the others stay free for files and DNS. */
const AT_ONCE = 2;

/** At 20 to 80 ms each, the last in the queue waits for about two seconds. */
const WAITING_MAX = 50;

/** Of a text that no one knows. Names without a password are checked against it, which takes the same time. */
const UNKNOWN_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$O9VeneTlNlJdA63C0Mwlbw$xDQBk4paCG5VhDWbyo6bupL1/xlpO/A53cpvX9X7RTc';

@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(@Inject(Metrics) private readonly metrics: Metrics) {}

  /** @throws AppError `login_queue_full` */
  hash(password: string): Promise<string> {
    return this.work(() => hash(normalPassword(password), COST));
  }

  /** Without a hash the result is false, after the same work. @throws AppError `login_queue_full` */
  async matches(password: string, hashed: string | null): Promise<boolean> {
    const isRight = await this.work(() => verify(hashed ?? UNKNOWN_HASH, normalPassword(password)));
    return isRight && hashed !== null;
  }

  /** Whether a hash has other parameters than new ones. */
  isOld(hashed: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed);
    return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism;
  }

  private async work<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.running >= AT_ONCE) await this.waitForSlot();
    else this.running++;
    try {
      this.metrics.passwordHashes.inc();
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private waitForSlot(): Promise<void> {
    if (this.waiting.length >= WAITING_MAX) throw new AppError('login_queue_full', { retryAfterSeconds: 2 });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
