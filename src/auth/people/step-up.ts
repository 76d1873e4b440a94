import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { LOG } from '../../platform/log.js';
import { type Principal } from '../access/access.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Step-up: actions that are hard to undo require a recent second factor, so that an unlocked screen or a stolen cookie
 * is not enough. ADR 15 explains the rules for keys and for people without a second factor.
 */

/** How long a second factor counts as recent. */
const FRESH_MS = 5 * 60_000;

/** The interval of log warnings for a person without a second factor. */
const WARN_EVERY_MS = 3_600_000;

export type FactorHolder = Pick<Principal, 'operatorId' | 'keyId' | 'scope' | 'secondFactorAt' | 'requestId'>;

@Injectable()
export class StepUp {
  private readonly warned = boundedCache<string, number>(10_000);

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'REQUIRE_SECOND_FACTOR'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @throws AppError `step_up_required` that tells how to provide it */
  async require(actor: FactorHolder): Promise<void> {
    const how = await this.missing(actor);
    if (how !== null) throw new AppError('step_up_required', { how });
  }

  /** Whether no step-up is needed; for work whose parts are checked one by one. */
  async isFresh(actor: FactorHolder): Promise<boolean> {
    return (await this.missing(actor)) === null;
  }

  /** The missing action, in words; null when nothing is missing. */
  private async missing(actor: FactorHolder): Promise<string | null> {
    if (actor.keyId !== null) {
      if (actor.scope?.stepUp) return null;
      return 'use an API key that was issued with scope.stepUp, or sign in';
    }
    const now = this.clock.now().getTime();
    if (actor.secondFactorAt && now - actor.secondFactorAt.getTime() <= FRESH_MS) return null;
    if (await this.isEnrolled(actor.operatorId))
      return 'show a code of the authenticator at POST /v1/self/second-factor';
    if (this.config.REQUIRE_SECOND_FACTOR) return 'set up a second factor at POST /v1/self/totp';
    this.warn(actor, now);
    return null;
  }

  private async isEnrolled(operatorId: string): Promise<boolean> {
    const rows = await this.db.query<unknown[]>(
      'select from operator_totp where operator_id = $1 and confirmed_at is not null',
      [operatorId],
    );
    return rows.length > 0;
  }

  private warn({ operatorId, requestId }: FactorHolder, now: number): void {
    if (now - (this.warned.get(operatorId) ?? 0) < WARN_EVERY_MS) return;
    this.warned.set(operatorId, now);
    this.log.warn(
      { operatorId, requestId },
      'An operator without a second factor does an action that needs one; REQUIRE_SECOND_FACTOR=true refuses this',
    );
  }
}
