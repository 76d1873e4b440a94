import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { Access, type Principal } from './access.js';
import { makeKey } from './key-format.js';
import { ApiKey, Operator } from './operator.entity.js';
import { type Role } from './permissions.js';

/** A key as its owner gets it: the only moment at which the key itself is seen. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** Operators and their API keys. Each change is one transaction with its audit entry. */
@Injectable()
export class OperatorsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Access) private readonly access: Access,
  ) {}

  /** @throws AppError `operator_exists` */
  async create(name: string, role: Role, actor: Actor): Promise<Operator> {
    try {
      return await this.db.transaction((tx) => this.createIn(tx, name, role, actor));
    } catch (error) {
      if (isUnique(error, 'operator_name_is_unique')) throw new AppError('operator_exists');
      throw error;
    }
  }

  /** As `create`, in the transaction of the caller. */
  async createIn(tx: EntityManager, name: string, role: Role, actor: Actor): Promise<Operator> {
    const operator = await tx.save(Operator, { id: randomUUID(), name, role, createdAt: this.clock.now() });
    await this.audit.record(tx, {
      actor,
      action: 'operator.create',
      subject: `operator:${operator.id}`,
      facts: { name, role },
    });
    return operator;
  }

  list(): Promise<Operator[]> {
    return this.db.manager.find(Operator, { order: { createdAt: 'asc', id: 'asc' } });
  }

  /**
   * Issues a key.
   * @param operatorId whose key it is; a key never has more rights than its operator
   * @throws AppError `operator_not_found`, `invalid_input` for an end that has passed
   */
  async issueKey(operatorId: string, name: string, expiresAt: Date | null, actor: Actor): Promise<IssuedKey> {
    if (expiresAt && expiresAt <= this.clock.now()) {
      throw new AppError('invalid_input', {
        errors: [{ pointer: '/body/expiresAt', detail: 'must be in the future' }],
      });
    }
    return this.db.transaction((tx) => this.issueKeyIn(tx, operatorId, name, expiresAt, actor));
  }

  /** As `issueKey`, in the transaction of the caller. */
  async issueKeyIn(
    tx: EntityManager,
    operatorId: string,
    name: string,
    expiresAt: Date | null,
    actor: Actor,
  ): Promise<IssuedKey> {
    if (!(await tx.existsBy(Operator, { id: operatorId }))) throw new AppError('operator_not_found');
    const { key, prefix, hash } = makeKey();
    const apiKey = await tx.save(ApiKey, {
      id: randomUUID(),
      operatorId,
      name,
      prefix,
      hash,
      createdAt: this.clock.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    });
    await this.audit.record(tx, {
      actor,
      action: 'api_key.issue',
      subject: `api_key:${apiKey.id}`,
      facts: { name, prefix, operatorId, expiresAt },
    });
    return { apiKey, key };
  }

  /** All keys, the ended ones among them, the newest first. */
  listKeys(): Promise<ApiKey[]> {
    return this.db.manager.find(ApiKey, { order: { createdAt: 'desc', id: 'desc' } });
  }

  /**
   * Ends a key; other replicas follow within a second.
   * @throws AppError `api_key_not_found`; `last_administrator` when nobody could administer the gateway any more
   */
  async revokeKey(keyId: string, actor: Principal): Promise<void> {
    await this.db.transaction(async (tx) => {
      // Two administrators who revoke each other's key at once must not both succeed.
      await tx.query(`select pg_advisory_xact_lock(hashtext('fleetgate.api_key'))`);
      const apiKey = await tx.findOneBy(ApiKey, { id: keyId });
      if (!apiKey || apiKey.revokedAt) throw new AppError('api_key_not_found');
      const others = await tx.query<unknown[]>(
        `select from api_key key join operator on operator.id = key.operator_id
          where operator.role = 'administrator' and key.id <> $1 and key.revoked_at is null
            and (key.expires_at is null or key.expires_at > $2)
          limit 1`,
        [keyId, this.clock.now()],
      );
      if (others.length === 0) throw new AppError('last_administrator');
      await tx.update(ApiKey, { id: keyId }, { revokedAt: this.clock.now() });
      await this.audit.record(tx, {
        actor,
        action: 'api_key.revoke',
        subject: `api_key:${keyId}`,
        facts: { name: apiKey.name, prefix: apiKey.prefix, operatorId: apiKey.operatorId },
      });
    });
    this.access.forget();
  }
}

function isUnique(error: unknown, constraint: string): boolean {
  return error instanceof QueryFailedError && (error.driverError as { constraint?: string }).constraint === constraint;
}
