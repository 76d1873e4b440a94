import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { networkOf, placeOf } from '../rights/address-list.js';
import { Buckets } from './buckets.js';
import { digest } from '../rights/key-format.js';
import { type BucketPolicy } from './token-bucket.js';

/*
 * Slows down callers who guess passwords. Tries are counted for an account from one place, for a place, and for the /48 around
 * it: an attacker cannot lock a person out from elsewhere, and a place that guesses at many accounts is slowed down too. The /48
 * pays first, so that its 65,536 places can neither guess in turn nor fill the memory of counted tries. A try is paid for
 * before its password is looked at, so that many at once get no further than one after the other; who signs in gets it
 * back. The price is that an account is guessed at from many places at once: argon2 and the list of common passwords
 * make that slow, a second factor makes it useless.
 */

const WINDOW_MS = 5 * 60_000;

/** A flood of refused tries is one entry in the audit for each place in this time, with their number. */
const TOLD_EVERY_MS = 10 * 60_000;

const PLACES_MAX = 10_000;

/** A /48 is one site, with more people than one place. */
const PLACES_PER_NETWORK = 4;

/** One try to sign in that may be made. */
export interface LoginTry {
  /** It was good: what this account and place had used up is theirs again. */
  succeeded(): Promise<void>;
  /** It was no guess: it does not count. */
  forgiven(): Promise<void>;
}

interface Count {
  readonly name: string;
  readonly policy: BucketPolicy;
  readonly isAccount: boolean;
}

@Injectable()
export class LoginThrottle {
  private readonly told = new LRUCache<string, { at: number; refused: number }>({ max: PLACES_MAX });

  constructor(
    @Inject(Buckets) private readonly buckets: Buckets,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /**
   * @param account what the person calls themself; whether there is such an account makes no difference
   * @throws AppError `login_throttled`
   */
  async begin(account: string, actor: Actor): Promise<LoginTry> {
    const counts = this.countsOf(account, actor.address ?? '');
    const paid: Count[] = [];
    const giveBack = async (ofAccount: number) => {
      for (const { name, policy, isAccount } of paid) await this.buckets.give(name, policy, isAccount ? ofAccount : 1);
    };
    try {
      for (const count of counts) {
        await this.pay(count.name, count.policy, actor);
        paid.push(count);
      }
    } catch (error) {
      await giveBack(1);
      throw error;
    }
    return { succeeded: () => giveBack(this.config.LOGIN_TRIES), forgiven: () => giveBack(1) };
  }

  /** What a try is counted for, the widest first. */
  private countsOf(account: string, address: string): Count[] {
    const [network, place] = [networkOf(address), placeOf(address)];
    const { LOGIN_TRIES: ofAccount, LOGIN_TRIES_PER_ADDRESS: ofPlace } = this.config;
    const count = (name: string, capacity: number, isAccount = false): Count => ({
      name: `login:${name}`,
      policy: { capacity, windowMs: WINDOW_MS },
      isAccount,
    });
    return [
      ...(network === null ? [] : [count(network, ofPlace * PLACES_PER_NETWORK)]),
      count(place, ofPlace),
      count(`${place}:${digest(account.toLowerCase()).toString('base64url')}`, ofAccount, true),
    ];
  }

  private async pay(name: string, policy: BucketPolicy, actor: Actor): Promise<void> {
    const { granted, waitMs } = await this.buckets.take(name, policy, 1);
    if (granted > 0) return;
    throw await this.refusal(name, waitMs, actor, `address:${actor.address ?? ''}`);
  }

  /**
   * What a try that must wait is refused with; counted, and told to the audit.
   * @param name of the bucket that is empty
   * @param subject what is guessed at, or the place from which
   */
  async refusal(name: string, waitMs: number, actor: Actor, subject: string): Promise<AppError> {
    this.metrics.refusedByLimit.inc({ limit: 'login' });
    await this.tell(name, actor, subject);
    return new AppError('login_throttled', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  private async tell(name: string, actor: Actor, subject: string): Promise<void> {
    const now = this.clock.now().getTime();
    const last = this.told.get(name);
    if (last && now - last.at < TOLD_EVERY_MS) {
      last.refused++;
      return;
    }
    this.told.set(name, { at: now, refused: 0 });
    const facts = { refusedSinceLastEntry: last?.refused ?? 0 };
    await this.audit.record(this.db.manager, { actor, action: 'login.throttle', subject, facts }, 'failed');
  }
}
