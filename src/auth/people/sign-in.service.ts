import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { LoginThrottle, type LoginTry } from '../limits/login-throttle.js';
import { fromPlace, OperatorSessions, type NewSession, type SignInPlace } from './operator-sessions.service.js';
import { Passwords } from './passwords.js';
import { SecondFactors } from './second-factors.service.js';

/** What a person shows. */
export interface Shown {
  readonly name: string;
  readonly password: string;
  /** Of the authenticator, or a recovery code. */
  readonly code?: string | undefined;
}

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly disabledAt: Date | null;
  readonly hash: string | null;
  readonly hasSecondFactor: boolean;
}

type Failure = 'unknown' | 'password' | 'disabled';

/*
 * Signing in with name and password. A stranger learns nothing from the answer: an unknown name, a wrong password, an
 * account without one and one that is disabled are the same refusal after the same work. Only who knows the password
 * learns that a second factor is wanted.
 */
@Injectable()
export class SignIn {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(SecondFactors) private readonly secondFactors: SecondFactors,
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
  ) {}

  /**
   * @throws AppError `login_refused`, `second_factor_required`, `second_factor_refused`, `login_throttled`,
   *   `login_queue_full`
   */
  async withPassword(shown: Shown, place: SignInPlace): Promise<NewSession> {
    const stranger: Actor = { subject: 'login', name: 'login', reason: null, ...fromPlace(place) };
    const attempt = await this.throttle.begin(shown.name, stranger);
    const account = await this.find(shown.name);
    const fits = await this.forgivingBusy(attempt, () => this.passwords.fits(shown.password, account?.hash ?? null));
    if (!account || !fits || account.disabledAt) {
      const failure = !account ? 'unknown' : fits ? 'disabled' : 'password';
      await this.tellFailure(failure, shown.name, account, stranger);
      throw new AppError('login_refused');
    }
    const facts = account.hasSecondFactor ? await this.showCode(account, shown.code, attempt, stranger) : {};
    const renewed = this.passwords.isOld(account.hash!) ? await this.passwords.hash(shown.password) : null;
    const secondFactorAt = account.hasSecondFactor ? this.clock.now() : null;
    const session = await this.db.transaction(async (tx) => {
      // A password that was changed, or an account that was disabled, while this one was looked at begins no session.
      const still = await tx.query<unknown[]>(
        `select from operator join operator_password on operator_id = id
          where id = $1 and hash = $2 and disabled_at is null for no key update`,
        [account.id, account.hash],
      );
      if (still.length === 0) throw new AppError('login_refused');
      if (renewed) {
        await tx.query('update operator_password set hash = $2 where operator_id = $1', [account.id, renewed]);
      }
      return this.sessions.beginIn(tx, account, { way: 'password', secondFactorAt, facts }, place);
    });
    this.sessions.forget(account.id); // the oldest of many has ended
    await attempt.succeeded();
    return session;
  }

  private async showCode(account: AccountRow, code: string | undefined, attempt: LoginTry, stranger: Actor) {
    if (code === undefined) {
      await attempt.forgiven();
      throw new AppError('second_factor_required');
    }
    return { code: await this.secondFactors.use(account.id, code, { ...stranger, name: account.name }) };
  }

  /** Being turned away by a full queue is no guess. */
  private async forgivingBusy<Result>(attempt: LoginTry, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await attempt.forgiven();
      throw error;
    }
  }

  private async find(name: string): Promise<AccountRow | null> {
    const rows = await this.db.query<AccountRow[]>(
      `select operator.id, name, disabled_at as "disabledAt", hash,
              exists (select from operator_totp totp
                       where totp.operator_id = operator.id and confirmed_at is not null) as "hasSecondFactor"
         from operator left join operator_password password on password.operator_id = operator.id
        where lower(name) = lower($1)`,
      [name],
    );
    return rows[0] ?? null;
  }

  /** What was typed as a name is kept as a fingerprint when it is none: people type passwords there. */
  private async tellFailure(failure: Failure, name: string, account: AccountRow | null, actor: Actor): Promise<void> {
    await this.audit.record(
      this.db.manager,
      {
        actor,
        action: 'login.fail',
        subject: account ? `operator:${account.id}` : 'operator:unknown',
        facts: { failure, ...(account ? {} : { name: this.secrets.fingerprint(name.toLowerCase()) }) },
      },
      'failed',
    );
  }
}
