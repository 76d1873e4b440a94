import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { networkOf, sourceOf } from '../rights/address-list.js';
import { Buckets } from './buckets.js';
import { digest } from '../rights/key-format.js';
import { type BucketPolicy } from './token-bucket.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Slows down password guessing. Attempts are counted for an account from one source address, for a source address, and
 * for the /48 around it. So an attacker cannot lock a person out from elsewhere, and a source that guesses at many
 * accounts is slowed down, too. The /48 is charged first, so that its 65,536 /64 networks can neither take turns nor
 * fill the memory of counters. An attempt is charged before its password is checked, so that parallel attempts have no
 * advantage; a successful one is refunded. An account can still be attacked from many sources at once: argon2 and the
 * list of common passwords make that slow, a second factor makes it useless.
 */

const WINDOW_MS = 5 * 60_000;

/** Refused attempts of one source are audited as one entry per this time, with their number. */
const AUDITED_EVERY_MS = 10 * 60_000;

const SOURCES_MAX = 10_000;

/** A /48 is one site with more people than one source address. */
const SOURCES_PER_NETWORK = 4;

export interface LoginAttempt {
  /** The attempt succeeded: refunds all attempts of this account and source. */
  succeeded(): Promise<void>;
  /** The attempt was no guess: refunds it. */
  refund(): Promise<void>;
}

interface Count {
  readonly name: string;
  readonly policy: BucketPolicy;
  readonly isAccount: boolean;
}

@Injectable()
export class LoginThrottle {
  private readonly audited = boundedCache<string, { at: number; refused: number }>(SOURCES_MAX);

  constructor(
    @Inject(Buckets) private readonly buckets: Buckets,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /**
   * Charges an attempt.
   * @param account the name as typed; an unknown account makes no difference
   * @throws AppError `login_throttled`
   */
  async begin(account: string, actor: Actor): Promise<LoginAttempt> {
    const counts = this.countsOf(account, actor.address ?? '');
    const paid: Count[] = [];
    const giveBack = async (ofAccount: number) => {
      for (const { name, policy, isAccount } of paid) await this.buckets.give(name, policy, isAccount ? ofAccount : 1);
    };
    try {
      for (const count of counts) {
        const { granted, waitMs } = await this.buckets.take(count.name, count.policy, 1);
        if (granted === 0) throw await this.refusal(count.name, waitMs, actor, `address:${actor.address ?? ''}`);
        paid.push(count);
      }
    } catch (error) {
      await giveBack(1);
      throw error;
    }
    return { succeeded: () => giveBack(this.config.LOGIN_TRIES), refund: () => giveBack(1) };
  }

  /** The counters of an attempt, widest first. */
  private countsOf(account: string, address: string): Count[] {
    const [network, source] = [networkOf(address), sourceOf(address)];
    const { LOGIN_TRIES: perAccount, LOGIN_TRIES_PER_ADDRESS: perSource } = this.config;
    const count = (name: string, capacity: number, isAccount = false): Count => ({
      name: `login:${name}`,
      policy: { capacity, windowMs: WINDOW_MS },
      isAccount,
    });
    return [
      ...(network === null ? [] : [count(network, perSource * SOURCES_PER_NETWORK)]),
      count(source, perSource),
      count(`${source}:${digest(account.toLowerCase()).toString('base64url')}`, perAccount, true),
    ];
  }

  /** Counts and audits a refused attempt. @param subject the attacked account, or the source address */
  async refusal(name: string, waitMs: number, actor: Actor, subject: string): Promise<AppError> {
    this.metrics.refusedByLimit.inc({ limit: 'login' });
    await this.auditRefusal(name, actor, subject);
    return new AppError('login_throttled', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  private async auditRefusal(name: string, actor: Actor, subject: string): Promise<void> {
    const now = this.clock.now().getTime();
    const last = this.audited.get(name);
    if (last && now - last.at < AUDITED_EVERY_MS) {
      last.refused++;
      return;
    }
    this.audited.set(name, { at: now, refused: 0 });
    const facts = { refusedSinceLastEntry: last?.refused ?? 0 };
    await this.audit.record(this.db.manager, { actor, action: 'login.throttle', subject, facts }, 'failed');
  }
}
