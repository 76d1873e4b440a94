import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { SlotQueue } from '../../platform/limits/slot-queue.js';
import { type Principal } from '../access/access.js';
import { sourceOf } from '../rights/address-list.js';
import { digest, randomText } from '../rights/key-format.js';
import { LoginThrottle } from '../limits/login-throttle.js';
import { actorFields, OperatorSessions, type SignInSource } from './operator-sessions.service.js';
import { OperatorsService } from './operators.service.js';
import { faultOf } from './password-rules.js';
import { Passwords } from './passwords.js';

const INVITATION_HOURS = 72;

/** Look-ups of one source in progress: made-up tokens must not take all connections to the database. */
const LOOK_UPS = 8;

/** Passwords of operators: set by invitation, changed by their owner. No operator sets another one's password. */
@Injectable()
export class Accounts {
  private readonly lookUps = new SlotQueue({ perKey: LOOK_UPS });

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
  ) {}

  /** @param address of the caller @throws AppError `password_refused`, `login_queue_full` */
  async hash(password: string, operatorName: string, address: string | null): Promise<string> {
    const reason = await faultOf(password, [operatorName, 'fleetgate']);
    if (reason) throw new AppError('password_refused', { reason });
    return this.passwords.hash(password, address);
  }

  /** Stores the hash of a password, in the caller's transaction. */
  async storeIn(tx: EntityManager, operatorId: string, hash: string): Promise<void> {
    await tx.query(
      `insert into operator_password (operator_id, hash, changed_at) values ($1, $2, $3)
       on conflict (operator_id) do update set hash = excluded.hash, changed_at = excluded.changed_at`,
      [operatorId, hash, this.clock.now()],
    );
    await tx.query('delete from invitation where operator_id = $1', [operatorId]);
  }

  /**
   * Changes the actor's own password and ends all the actor's other sessions.
   * @throws AppError `login_refused` when the current password is wrong or there is none; `password_refused`,
   *   `login_throttled`, `login_queue_full`
   */
  async changePassword(current: string, next: string, actor: Principal): Promise<void> {
    await this.confirmPassword(current, actor);
    const hash = await this.hash(next, actor.name, actor.address);
    await this.db.transaction(async (tx) => {
      await this.storeIn(tx, actor.operatorId, hash);
      const endedSessions = await this.sessions.revokeAllIn(tx, actor.operatorId, actor.sessionId);
      await this.audit.record(tx, {
        actor,
        action: 'password.change',
        subject: `operator:${actor.operatorId}`,
        facts: { endedSessions },
      });
    });
    this.sessions.forget(actor.operatorId);
  }

  /**
   * Checks the password of a signed-in operator again.
   * @throws AppError `login_refused`, `login_throttled`, `login_queue_full`
   */
  async confirmPassword(password: string, actor: Principal): Promise<void> {
    const attempt = await this.throttle.begin(actor.operatorId, actor);
    const rows = await this.db.query<{ hash: string }[]>('select hash from operator_password where operator_id = $1', [
      actor.operatorId,
    ]);
    if (!(await this.passwords.matches(password, rows[0]?.hash ?? null, actor.address))) {
      const subject = `operator:${actor.operatorId}`;
      await this.audit.record(this.db.manager, { actor, action: 'password.confirm', subject }, 'failed');
      throw new AppError('login_refused');
    }
    await attempt.succeeded();
  }

  /** An open invitation of the operator ends. Only the answer has the token. @throws AppError `operator_not_found` */
  async invite(operatorId: string, actor: Principal) {
    const token = `invite_${randomText(43)}`;
    const expiresAt = new Date(this.clock.now().getTime() + INVITATION_HOURS * 3_600_000);
    await this.db.transaction(async (tx) => {
      await this.operators.get(operatorId, tx);
      await tx.query(
        `insert into invitation (hash, operator_id, expires_at, issued_by) values ($1, $2, $3, $4)
         on conflict (operator_id) do update
           set hash = excluded.hash, expires_at = excluded.expires_at, issued_by = excluded.issued_by`,
        [digest(token), operatorId, expiresAt, actor.operatorId],
      );
      await this.audit.record(tx, {
        actor,
        action: 'operator.invite',
        subject: `operator:${operatorId}`,
        facts: { expiresAt },
      });
    });
    return { token, expiresAt };
  }

  private async invited(token: string): Promise<{ id: string; name: string } | undefined> {
    const rows = await this.db.query<{ id: string; name: string }[]>(
      `select id, name from invitation join operator on id = operator_id
        where hash = $1 and expires_at > $2 and disabled_at is null`,
      [digest(token), this.clock.now()],
    );
    return rows[0];
  }

  /**
   * Sets a password by invitation, and ends the invitation and all sessions. The second factor stays active.
   * @throws AppError `invitation_refused`, also for a disabled operator; `password_refused`, `login_queue_full`
   */
  async accept(token: string, password: string, source: SignInSource): Promise<void> {
    const actor: Actor = { actorId: 'invitation', name: 'invitation', reason: null, ...actorFields(source) };
    // Not throttled: a token has 256 random bits, and a count of wrong ones would be one for all people of an address.
    const operator = await this.lookUps.run(sourceOf(source.address ?? ''), () => this.invited(token));
    if (!operator) throw new AppError('invitation_refused');
    const hash = await this.hash(password, operator.name, source.address);
    await this.db.transaction(async (tx) => {
      const [, used] = await tx.query<[unknown[], number]>('delete from invitation where hash = $1', [digest(token)]);
      if (used === 0) throw new AppError('invitation_refused');
      await this.storeIn(tx, operator.id, hash);
      const endedSessions = await this.sessions.revokeAllIn(tx, operator.id, null);
      await this.audit.record(tx, {
        actor: { ...actor, name: operator.name },
        action: 'password.set',
        subject: `operator:${operator.id}`,
        facts: { endedSessions },
      });
    });
    this.sessions.forget(operator.id);
  }
}
