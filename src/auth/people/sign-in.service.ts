import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Secrets } from '../../secrets/secrets.js';
import { LoginThrottle, type LoginAttempt } from '../limits/login-throttle.js';
import { actorFields, OperatorSessions, type NewSession, type SignInSource } from './operator-sessions.service.js';
import { Passwords } from './passwords.js';
import { SecondFactors } from './second-factors.service.js';
import { type LoginInput } from './sign-in.contract.js';

interface AccountRow {
  /** The typed name as the database lowers it. JavaScript lowers some letters otherwise, such as İ. */
  readonly spelling: string;
  readonly id: string;
  readonly name: string;
  readonly disabledAt: Date | null;
  readonly hash: string | null;
  readonly hasSecondFactor: boolean;
}

type Failure = 'unknown' | 'password' | 'disabled';

/*
 * Sign-in with name and password. The answer reveals nothing: an unknown name, a wrong password, an account without a
 * password and a disabled account get the same refusal after the same work. Only a caller with the right password
 * learns that a second factor is required.
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
  async withPassword(login: LoginInput, source: SignInSource): Promise<NewSession> {
    const loginActor: Actor = { actorId: 'login', name: 'login', reason: null, ...actorFields(source) };
    // A flood from one source costs the database nothing.
    const ofSource = await this.throttle.beginAt(loginActor);
    const { spelling, account } = await this.refundOnError(ofSource, () => this.find(login.name));
    const attempt = await ofSource.on(account?.id ?? spelling);
    const matches = await this.refundOnError(attempt, () =>
      this.passwords.matches(login.password, account?.hash ?? null, source.address),
    );
    if (!account || !matches || account.disabledAt) {
      const failure = !account ? 'unknown' : matches ? 'disabled' : 'password';
      await this.auditFailure(failure, spelling, account, loginActor);
      throw new AppError('login_refused');
    }
    const facts = account.hasSecondFactor ? await this.useCode(account, login.code, attempt, loginActor) : {};
    const renewed = this.passwords.isOld(account.hash!)
      ? await this.passwords.hash(login.password, source.address)
      : null;
    const secondFactorAt = account.hasSecondFactor ? this.clock.now() : null;
    const session = await this.db.transaction(async (tx) => {
      // The password may have been changed, or the account disabled, since the check above.
      const still = await tx.query<unknown[]>(
        `select from operator join operator_password on operator_id = id
          where id = $1 and hash = $2 and disabled_at is null for no key update`,
        [account.id, account.hash],
      );
      if (still.length === 0) throw new AppError('login_refused');
      if (renewed) {
        await tx.query('update operator_password set hash = $2 where operator_id = $1', [account.id, renewed]);
      }
      return this.sessions.beginIn(tx, account, { way: 'password', secondFactorAt, facts }, source);
    });
    this.sessions.forget(account.id); // the oldest of too many sessions has ended
    await attempt.succeeded();
    return session;
  }

  private async useCode(account: AccountRow, code: string | undefined, attempt: LoginAttempt, loginActor: Actor) {
    if (code === undefined) {
      await attempt.refund();
      throw new AppError('second_factor_required');
    }
    return { code: await this.secondFactors.use(account.id, code, { ...loginActor, name: account.name }) };
  }

  /** A refusal by the full queue is no guess, nor is a failure of the database. */
  private async refundOnError<Result>(
    attempt: Pick<LoginAttempt, 'refund'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await attempt.refund();
      throw error;
    }
  }

  private async find(name: string): Promise<{ spelling: string; account: AccountRow | null }> {
    const [row] = await this.db.query<[AccountRow | (Omit<AccountRow, 'id'> & { readonly id: null })]>(
      `select typed.spelling, operator.id, name, disabled_at as "disabledAt", hash,
              exists (select from operator_totp totp
                       where totp.operator_id = operator.id and confirmed_at is not null) as "hasSecondFactor"
         from (select lower($1) as spelling) typed left join operator on lower(name) = typed.spelling
              left join operator_password password on password.operator_id = operator.id`,
      [name],
    );
    return { spelling: row.spelling, account: row.id === null ? null : row };
  }

  /** An unknown name is stored as a fingerprint: people type passwords there. */
  private async auditFailure(
    failure: Failure,
    spelling: string,
    account: AccountRow | null,
    actor: Actor,
  ): Promise<void> {
    await this.audit.record(
      this.db.manager,
      {
        actor,
        action: 'login.fail',
        subject: account ? `operator:${account.id}` : 'operator:unknown',
        facts: { failure, ...(account ? {} : { name: this.secrets.fingerprint(spelling) }) },
      },
      'failed',
    );
  }
}
