import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Access, type Principal } from '../access/access.js';
import { AddressList } from '../rights/address-list.js';
import { keepAdministrator } from '../rights/administrators.js';
import { makeKey } from '../rights/key-format.js';
import { type KeyScope } from '../rights/key-scope.js';
import { ApiKey, Operator } from '../people/operator.entity.js';
import { RightsService } from '../rights/rights.service.js';

/** A key as its owner gets it: the only moment at which the key itself is seen. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** What is asked of a new key. */
export interface KeyWish {
  readonly name: string;
  readonly expiresAt?: Date | null;
  readonly scope?: KeyScope | null;
  readonly allowedAddresses?: readonly string[];
  readonly callsPerMinute?: number | null;
}

/** API keys. Each change is one transaction with its audit entry; every process hears of it at its commit. */
@Injectable()
export class ApiKeys {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Access) private readonly access: Access,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {}

  /**
   * Issues a key.
   * @param operatorId whose key it is; a key never has more rights than its operator
   * @throws AppError `operator_not_found`; `invalid_input` for an end that has passed; `invalid_selector`;
   *   `rights_not_held` when the key could do what the one who asks cannot; `key_beyond_own`
   */
  async issue(operatorId: string, wish: KeyWish, actor: Principal): Promise<IssuedKey> {
    this.rights.checkSelector(wish.scope?.selector ?? null);
    return this.db.transaction(async (tx) => {
      await this.requireCovered(tx, operatorId, wish.scope ?? null, actor);
      await this.requireWithin(tx, wish, actor);
      return this.issueIn(tx, operatorId, wish, actor, await issuerOf(tx, operatorId, actor));
    });
  }

  /**
   * As `issue`, in the transaction of the caller, who has looked at who asks.
   * @param issuedBy the operator who sees the key beside its own; null: nobody
   */
  async issueIn(
    tx: EntityManager,
    operatorId: string,
    wish: KeyWish,
    actor: Actor,
    issuedBy: string | null = null,
  ): Promise<IssuedKey> {
    const { name, expiresAt = null } = wish;
    if (expiresAt && expiresAt <= this.clock.now()) {
      throw new AppError('invalid_input', {
        errors: [{ pointer: '/body/expiresAt', detail: 'must be in the future' }],
      });
    }
    if (!(await tx.existsBy(Operator, { id: operatorId }))) throw new AppError('operator_not_found');
    const { apiKey, key } = this.make(operatorId, wish, { issuedBy });
    await tx.save(ApiKey, apiKey);
    const { prefix, scope, allowedAddresses, callsPerMinute } = apiKey;
    await this.audit.record(tx, {
      actor,
      action: 'api_key.issue',
      subject: `api_key:${apiKey.id}`,
      facts: { name, prefix, operatorId, expiresAt, scope, allowedAddresses, callsPerMinute },
    });
    return { apiKey, key };
  }

  /** Keys, the ended ones among them, the newest first; of one operator, or of all. */
  list(operatorId?: string): Promise<ApiKey[]> {
    return this.db.manager.find(ApiKey, {
      ...(operatorId === undefined ? {} : { where: { operatorId } }),
      order: { createdAt: 'desc', id: 'desc' },
    });
  }

  /**
   * Issues a key in the place of another: same owner, scope, networks, limit and end. The old one goes on for the
   * overlap, so that whoever uses it can change over without a gap.
   * @param ofOperator only a key of this operator is found; null: anybody's
   * @throws AppError `api_key_not_found`, also when it has ended; `rights_not_held`, `key_beyond_own` as `issue`
   */
  async rotate(keyId: string, overlapMs: number, ofOperator: string | null, actor: Principal): Promise<IssuedKey> {
    const issued = await this.db.transaction(async (tx) => {
      const old = await this.take(tx, keyId, ofOperator);
      await this.requireCovered(tx, old.operatorId, old.scope, actor);
      await this.requireWithin(tx, old, actor);
      const issuedBy = await issuerOf(tx, old.operatorId, actor);
      const { apiKey, key } = this.make(old.operatorId, old, { issuedBy, replacesId: old.id });
      await tx.save(ApiKey, apiKey);
      const overlapEnds = new Date(this.clock.now().getTime() + overlapMs);
      const endsAt = old.expiresAt && old.expiresAt < overlapEnds ? old.expiresAt : overlapEnds;
      await tx.update(ApiKey, { id: old.id }, { expiresAt: endsAt });
      await this.audit.record(tx, {
        actor,
        action: 'api_key.rotate',
        subject: `api_key:${old.id}`,
        facts: { name: old.name, prefix: old.prefix, operatorId: old.operatorId, endsAt, replacedBy: apiKey.id },
      });
      return { apiKey, key };
    });
    this.access.forgetOperator(issued.apiKey.operatorId);
    return issued;
  }

  /**
   * Ends a key, everywhere at once.
   * @param ofOperator only a key of this operator is found; null: anybody's
   * @throws AppError `api_key_not_found`; `last_administrator` when nobody could administer the gateway any more
   */
  async revoke(keyId: string, ofOperator: string | null, actor: Principal): Promise<void> {
    const operatorId = await this.db.transaction(async (tx) => {
      const now = this.clock.now();
      const {
        name,
        prefix,
        operatorId: owner,
      } = await keepAdministrator(tx, now, async () => {
        const taken = await this.take(tx, keyId, ofOperator);
        await tx.update(ApiKey, { id: keyId }, { revokedAt: now });
        return taken;
      });
      await this.audit.record(tx, {
        actor,
        action: 'api_key.revoke',
        subject: `api_key:${keyId}`,
        facts: { name, prefix, operatorId: owner },
      });
      return owner;
    });
    this.access.forgetOperator(operatorId);
    this.rights.forget(); // jobs of this key look again before their next step
  }

  /** A key that is in force, held until the transaction ends. */
  private async take(tx: EntityManager, keyId: string, ofOperator: string | null): Promise<ApiKey> {
    const apiKey = await tx.findOne(ApiKey, { where: { id: keyId }, lock: { mode: 'pessimistic_write' } });
    const isOver = !apiKey || apiKey.revokedAt || (apiKey.expiresAt && apiKey.expiresAt <= this.clock.now());
    if (isOver || (ofOperator !== null && apiKey.operatorId !== ofOperator)) throw new AppError('api_key_not_found');
    return apiKey;
  }

  /**
   * A key gives nobody more than they have; one of somebody who is disabled may again what they may, once they are enabled.
   * @throws AppError `rights_not_held`
   */
  private async requireCovered(
    tx: EntityManager,
    operatorId: string,
    scope: KeyScope | null,
    actor: Principal,
  ): Promise<void> {
    const isOwn = operatorId === actor.operatorId; // so from the same reading of the rows
    const given = isOwn ? await this.rights.of(operatorId, scope) : await this.rights.held(operatorId, scope, tx);
    this.rights.requireCovers(actor.rights, given);
  }

  /**
   * A key makes none that is good for longer, in more places or for more calls than itself: whoever has stolen it would
   * keep what its owner thinks has ended.
   * @throws AppError `key_beyond_own`
   */
  private async requireWithin(tx: EntityManager, wish: Omit<KeyWish, 'name'>, { keyId }: Principal): Promise<void> {
    if (keyId === null) return;
    const own = await tx.findOneByOrFail(ApiKey, { id: keyId });
    const isLonger = own.expiresAt !== null && (!wish.expiresAt || wish.expiresAt > own.expiresAt);
    const isWider = !new AddressList(own.allowedAddresses).includes(wish.allowedAddresses ?? []);
    const isFaster = own.callsPerMinute !== null && (wish.callsPerMinute ?? Infinity) > own.callsPerMinute;
    if (isLonger || isWider || isFaster) {
      const { expiresAt, allowedAddresses, callsPerMinute } = own;
      throw new AppError('key_beyond_own', { expiresAt, allowedAddresses, callsPerMinute });
    }
  }

  private make(
    operatorId: string,
    wish: KeyWish,
    { issuedBy, replacesId = null }: { issuedBy: string | null; replacesId?: string | null },
  ): IssuedKey {
    const { key, prefix, hash } = makeKey();
    const apiKey: ApiKey = {
      id: randomUUID(),
      operatorId,
      name: wish.name,
      prefix,
      hash,
      createdAt: this.clock.now(),
      expiresAt: wish.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedAddress: null,
      scope: wish.scope ?? null,
      allowedAddresses: [...(wish.allowedAddresses ?? [])],
      callsPerMinute: wish.callsPerMinute ?? null,
      replacesId,
      issuedBy,
    };
    return { apiKey, key };
  }
}

/** Who else will have seen a new key of an operator: whoever issues it for them, or had the key that issues it. */
async function issuerOf(tx: EntityManager, operatorId: string, actor: Principal): Promise<string | null> {
  if (actor.operatorId !== operatorId) return actor.operatorId;
  if (actor.keyId === null) return null;
  const { issuedBy } = await tx.findOneByOrFail(ApiKey, { id: actor.keyId });
  return issuedBy;
}
