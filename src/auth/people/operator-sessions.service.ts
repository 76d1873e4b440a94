import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type z } from 'zod';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Access, type Principal } from '../access/access.js';
import { digest, makeSessionToken } from '../rights/key-format.js';
import { type sessionView } from './sign-in.contract.js';

export type OperatorSession = Omit<z.input<typeof sessionView>, 'current'>;

export interface SignInSource extends Pick<Actor, 'requestId' | 'address'> {
  readonly userAgent: string | null;
}

/** A new session. Only this object contains the token. */
export interface NewSession {
  readonly token: string;
  readonly operatorId: string;
  readonly operatorName: string;
  readonly endsAt: Date;
}

/** More than a person has browsers; beyond it the oldest session ends. */
const SESSIONS_MAX = 50;

/** Ended sessions stay stored for this time. */
const RETENTION_DAYS = 30;

const USER_AGENT_MAX = 300;

/** Sessions of operators. A browser has only a reference, so changing the row ends the session. */
@Injectable()
export class OperatorSessions {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Access) private readonly access: Access,
  ) {}

  /** Starts a session in the transaction of a sign-in, with its audit entry. */
  async beginIn(
    tx: EntityManager,
    operator: { readonly id: string; readonly name: string },
    by: { readonly way: 'password' | 'oidc'; readonly secondFactorAt: Date | null; readonly facts?: object },
    source: SignInSource,
  ): Promise<NewSession> {
    const [id, token, now] = [randomUUID(), makeSessionToken(), this.clock.now()];
    const endsAt = new Date(now.getTime() + this.config.SESSION_MAX_HOURS * 3_600_000);
    await tx.query(
      `delete from operator_session
        where operator_id = $1 and (ends_at < $2::timestamptz - make_interval(days => $3) or id in (
              select id from operator_session where operator_id = $1 order by made_at desc offset $4))`,
      [operator.id, now, RETENTION_DAYS, SESSIONS_MAX - 1],
    );
    await tx.query(
      `insert into operator_session (id, operator_id, hash, way, made_at, ends_at, second_factor_at, address, user_agent,
                                     last_seen_at, last_seen_address)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $5, $8)`,
      [
        id,
        operator.id,
        digest(token),
        by.way,
        now,
        endsAt,
        by.secondFactorAt,
        source.address,
        source.userAgent?.slice(0, USER_AGENT_MAX) ?? null,
      ],
    );
    await this.audit.record(tx, {
      actor: { actorId: `session:${id}`, name: operator.name, reason: null, ...actorFields(source) },
      action: 'login.succeed',
      subject: `operator:${operator.id}`,
      facts: { way: by.way, secondFactor: by.secondFactorAt !== null, ...by.facts },
    });
    return { token, operatorId: operator.id, operatorName: operator.name, endsAt };
  }

  /** Active sessions, newest first; of one operator, or of all. */
  list(operatorId: string | null): Promise<OperatorSession[]> {
    const now = this.clock.now();
    return this.db.query<OperatorSession[]>(
      `select session.id, operator_id as "operatorId", name as "operatorName", way, made_at as "madeAt",
              ends_at as "endsAt", second_factor_at as "secondFactorAt", address, user_agent as "userAgent",
              last_seen_at as "lastSeenAt", last_seen_address as "lastSeenAddress"
         from operator_session session join operator on operator.id = operator_id
        where ($1::uuid is null or operator_id = $1) and revoked_at is null and ends_at > $2 and last_seen_at > $3
        order by made_at desc, session.id limit 1000`,
      [operatorId, now, new Date(now.getTime() - this.config.SESSION_IDLE_MINUTES * 60_000)],
    );
  }

  /**
   * Ends a session in all processes at once.
   * @param ofOperator finds only sessions of this operator; null: of any operator
   * @throws AppError `session_not_found`
   */
  async revoke(sessionId: string, ofOperator: string | null, actor: Principal): Promise<void> {
    const operatorId = await this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[{ operatorId: string }[], number]>(
        `update operator_session set revoked_at = $3
          where id = $1 and ($2::uuid is null or operator_id = $2) and revoked_at is null and ends_at > $3
          returning operator_id as "operatorId"`,
        [sessionId, ofOperator, this.clock.now()],
      );
      if (!rows[0]) throw new AppError('session_not_found');
      await this.audit.record(tx, {
        actor,
        action: actor.sessionId === sessionId ? 'session.logout' : 'session.revoke',
        subject: `session:${sessionId}`,
        facts: { operatorId: rows[0].operatorId },
      });
      return rows[0].operatorId;
    });
    this.access.forgetOperator(operatorId);
  }

  /** In the caller's transaction; call `forget` after the commit. @returns the number of ended sessions */
  async revokeAllIn(tx: EntityManager, operatorId: string, exceptId: string | null): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(
      `update operator_session set revoked_at = $3
        where operator_id = $1 and id is distinct from $2 and revoked_at is null and ends_at > $3`,
      [operatorId, exceptId, this.clock.now()],
    );
    return count;
  }

  /** Drops an operator from this process's cache; other processes are notified. */
  forget(operatorId: string): void {
    this.access.forgetOperator(operatorId);
  }
}

export const actorFields = ({ requestId, address }: SignInSource) => ({ requestId, address });
