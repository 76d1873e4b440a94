import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { normalPassword } from './password-rules.js';

/*
 * Passwords as argon2id hashes. The work is done on threads of its own, few at once and with a short queue before them, so
 * that a flood of sign-ins costs those who sign in, and not the calls that go through to devices.
 */

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Of the four threads that Node gives to such work by default; the others stay free for files and names. */
const AT_ONCE = 2;

/** At 20 to 80 ms each, the last in the queue waits for some two seconds. */
const WAITING_MAX = 50;

/**
 * A hash with the cost above of a text that nobody knows: what a name without a password is checked against, so that it
 * takes the same work.
 */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$O9VeneTlNlJdA63C0Mwlbw$xDQBk4paCG5VhDWbyo6bupL1/xlpO/A53cpvX9X7RTc';

@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(@Inject(Metrics) private readonly metrics: Metrics) {}

  /**
   * Hashes a new password.
   * @throws AppError `login_queue_full`
   */
  hash(password: string): Promise<string> {
    return this.work(() => hash(normalPassword(password), COST));
  }

  /**
   * Whether a password is the one that was hashed. Without a hash the answer is no, after the same work.
   * @throws AppError `login_queue_full`
   */
  async fits(password: string, hashed: string | null): Promise<boolean> {
    const fits = await this.work(() => verify(hashed ?? NOBODYS, normalPassword(password)));
    return fits && hashed !== null;
  }

  /** Whether a hash was made with other parameters than new ones are. */
  isOld(hashed: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed);
    return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism;
  }

  private async work<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.running >= AT_ONCE) await this.turn();
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

  private turn(): Promise<void> {
    if (this.waiting.length >= WAITING_MAX) throw new AppError('login_queue_full', { retryAfterSeconds: 2 });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
