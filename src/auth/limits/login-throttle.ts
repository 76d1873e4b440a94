import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { networkOf, sourceOf } from '../rights/address-list.js';
import { digest } from '../rights/key-format.js';
import { Buckets, type BucketPolicy } from '../../platform/limits/token-bucket.js';
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

/** An attempt whose account is not known yet. */
export interface SourceAttempt extends Pick<LoginAttempt, 'refund'> {
  /** Charges it to an account, too. When the account refuses it, the source gets it back. @throws AppError `login_throttled` */
  on(account: string): Promise<LoginAttempt>;
}

interface Count {
  readonly name: string;
  readonly policy: BucketPolicy;
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
   * Charges an attempt with a password.
   * @param account the id of the account, or the typed name of an unknown one, as the database lowers it: another
   *   spelling of the same account must not be another count
   * @throws AppError `login_throttled`
   */
  async begin(account: string, actor: Actor): Promise<LoginAttempt> {
    return (await this.beginAt(actor)).on(account);
  }

  /** Charges an attempt with a password to its source, before the account is looked up. @throws AppError `login_throttled` */
  async beginAt(actor: Actor): Promise<SourceAttempt> {
    const ofSource = this.countsOfSource('login', actor);
    await this.pay(ofSource, actor);
    const refund = () => this.giveBack(ofSource, 1);
    const { LOGIN_TRIES } = this.config;
    const on = async (account: string): Promise<LoginAttempt> => {
      const name = `login:${sourceOf(actor.address ?? '')}:${digest(account).toString('base64url')}`;
      const ofAccount = [{ name, policy: policyOf(LOGIN_TRIES) }];
      try {
        await this.pay(ofAccount, actor);
      } catch (error) {
        await refund();
        throw error;
      }
      const giveBack = async (attempts: number) => {
        await refund();
        await this.giveBack(ofAccount, attempts);
      };
      return { succeeded: () => giveBack(LOGIN_TRIES), refund: () => giveBack(1) };
    };
    return { on, refund };
  }

  /** Charges all counters, or none. @throws AppError `login_throttled` */
  private async pay(counts: readonly Count[], actor: Actor): Promise<void> {
    const paid: Count[] = [];
    try {
      for (const count of counts) {
        const { granted, waitMs } = await this.buckets.take(count.name, count.policy, 1);
        if (granted === 0) throw await this.refusal(count.name, waitMs, actor, `address:${actor.address ?? ''}`);
        paid.push(count);
      }
    } catch (error) {
      await this.giveBack(paid, 1);
      throw error;
    }
  }

  private async giveBack(counts: readonly Count[], tokens: number): Promise<void> {
    for (const { name, policy } of counts) await this.buckets.give(name, policy, tokens);
  }

  /**
   * Charges an attempt on a counter of one person or one browser alone, so that others have no part in it.
   * @param name of the counter
   * @param subject for the audit, one entry for each source address
   * @param buckets for counters that a caller without any secret can make, so that they displace no others
   * @throws AppError `login_throttled`
   */
  async charge(
    name: string,
    actor: Actor,
    subject: string,
    buckets = this.buckets,
  ): Promise<{ refund(): Promise<void> }> {
    const policy = policyOf(this.config.LOGIN_TRIES);
    const counter = `${subject}:${digest(name).toString('base64url')}`;
    const { granted, waitMs } = await buckets.take(counter, policy, 1);
    if (granted === 0) throw await this.refusal(`${subject}:${sourceOf(actor.address ?? '')}`, waitMs, actor, subject);
    return { refund: () => buckets.give(counter, policy, 1) };
  }

  /**
   * Whether a failure that needs no secret gets an audit entry of its own. A flood of them must not fill the audit, so a
   * source gets as many entries as attempts with a password.
   */
  async mayRecord(actor: Actor): Promise<boolean> {
    for (const { name, policy } of this.countsOfSource('record', actor)) {
      if ((await this.buckets.take(name, policy, 1)).granted === 0) return false;
    }
    return true;
  }

  private countsOfSource(kind: 'login' | 'record', actor: Actor): Count[] {
    return countsOf(kind, actor, policyOf(this.config.LOGIN_TRIES_PER_ADDRESS));
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

const policyOf = (capacity: number): BucketPolicy => ({ capacity, windowMs: WINDOW_MS });

/** The counters of a source, widest first. */
function countsOf(kind: 'login' | 'record', { address }: Actor, policy: BucketPolicy): Count[] {
  const [network, source] = [networkOf(address ?? ''), sourceOf(address ?? '')];
  const ofSource: Count = { name: `${kind}:${source}`, policy };
  if (network === null) return [ofSource];
  return [
    { name: `${kind}:${network}`, policy: { ...policy, capacity: policy.capacity * SOURCES_PER_NETWORK } },
    ofSource,
  ];
}
