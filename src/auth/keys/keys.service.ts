import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { requireRoom } from '../../database/row-limits.js';
import { Access, type Principal } from '../access/access.js';
import { AddressList } from '../rights/address-list.js';
import { keepAdministrator } from '../rights/administrators.js';
import { makeKey } from '../rights/key-format.js';
import { type KeyScope } from '../rights/key-scope.js';
import { ApiKey, Operator } from '../people/operator.entity.js';
import { RightsService } from '../rights/rights.service.js';

/** A new key. Only this object contains the key itself. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

export interface KeyProperties {
  readonly name: string;
  readonly expiresAt?: Date | null | undefined;
  readonly scope?: KeyScope | null | undefined;
  readonly allowedAddresses?: readonly string[];
  readonly callsPerMinute?: number | null | undefined;
}

/** API keys. Each change is one transaction with its audit entry; every process is notified at the commit. */
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
   * @param operatorId the key's owner; a key never has more rights than its operator
   * @throws AppError `operator_not_found`; `invalid_input` for an end in the past; `invalid_selector`;
   *   `rights_not_held` when the key could do what the actor cannot; `key_beyond_own`, `too_many_saved`
   */
  async issue(operatorId: string, properties: KeyProperties, actor: Principal): Promise<IssuedKey> {
    this.rights.checkSelector(properties.scope?.selector ?? null);
    return this.db.transaction(async (tx) => {
      await this.requireCovered(tx, operatorId, properties.scope ?? null, actor);
      await this.requireWithin(tx, properties, actor);
      return this.issueIn(tx, operatorId, properties, actor, await issuerOf(tx, operatorId, actor));
    });
  }

  /** The caller has checked the actor's rights. @param issuedBy another operator who sees the key, or null */
  async issueIn(
    tx: EntityManager,
    operatorId: string,
    properties: KeyProperties,
    actor: Actor,
    issuedBy: string | null = null,
  ): Promise<IssuedKey> {
    const { name, expiresAt = null } = properties;
    if (expiresAt && expiresAt <= this.clock.now()) {
      throw new AppError('invalid_input', {
        errors: [{ pointer: '/body/expiresAt', detail: 'must be in the future' }],
      });
    }
    if (!(await tx.existsBy(Operator, { id: operatorId }))) throw new AppError('operator_not_found');
    await this.refuseTooMany(tx);
    const { apiKey, key } = this.make(operatorId, properties, { issuedBy });
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

  /** Keys, also ended ones, newest first; of one operator, or of all. */
  list(operatorId?: string): Promise<ApiKey[]> {
    return this.db.manager.find(ApiKey, {
      ...(operatorId === undefined ? {} : { where: { operatorId } }),
      order: { createdAt: 'desc', id: 'desc' },
    });
  }

  /**
   * Issues a key that replaces another: same owner, scope, networks, limit and end. The old one stays valid for the
   * overlap, so that its users can switch without a gap.
   * @param ofOperator finds only keys of this operator; null: of any operator
   * @throws AppError `api_key_not_found`, also when it has ended; `rights_not_held`, `key_beyond_own` as `issue`
   */
  async rotate(keyId: string, overlapMs: number, ofOperator: string | null, actor: Principal): Promise<IssuedKey> {
    const issued = await this.db.transaction(async (tx) => {
      const old = await this.lockValid(tx, keyId, ofOperator);
      await this.requireCovered(tx, old.operatorId, old.scope, actor);
      await this.requireWithin(tx, old, actor);
      const issuedBy = await issuerOf(tx, old.operatorId, actor);
      await this.refuseTooMany(tx);
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
   * Revokes a key in all processes at once.
   * @param ofOperator finds only keys of this operator; null: of any operator
   * @throws AppError `api_key_not_found`; `last_administrator` when no administrator would be left
   */
  async revoke(keyId: string, ofOperator: string | null, actor: Principal): Promise<void> {
    const operatorId = await this.db.transaction(async (tx) => {
      const now = this.clock.now();
      const {
        name,
        prefix,
        operatorId: owner,
      } = await keepAdministrator(tx, now, async () => {
        const taken = await this.lockValid(tx, keyId, ofOperator);
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
    this.rights.forget(); // jobs of this key check it again before their next step
  }

  private async lockValid(tx: EntityManager, keyId: string, ofOperator: string | null): Promise<ApiKey> {
    const apiKey = await tx.findOne(ApiKey, { where: { id: keyId }, lock: { mode: 'pessimistic_write' } });
    const isOver = !apiKey || apiKey.revokedAt || (apiKey.expiresAt && apiKey.expiresAt <= this.clock.now());
    if (isOver || (ofOperator !== null && apiKey.operatorId !== ofOperator)) throw new AppError('api_key_not_found');
    return apiKey;
  }

  /** A key of a disabled operator counts with the rights after enabling. @throws AppError `rights_not_held` */
  private async requireCovered(
    tx: EntityManager,
    operatorId: string,
    scope: KeyScope | null,
    actor: Principal,
  ): Promise<void> {
    const isOwn = operatorId === actor.operatorId; // both sides then come from the same read
    const given = isOwn ? await this.rights.of(operatorId, scope) : await this.rights.assigned(operatorId, scope, tx);
    this.rights.requireCovers(actor.rights, given);
  }

  /**
   * A key cannot issue one that is valid longer, from more networks or for more calls than itself. Otherwise a thief
   * could keep access after the stolen key ends.
   * @throws AppError `key_beyond_own`
   */
  private async requireWithin(
    tx: EntityManager,
    properties: Omit<KeyProperties, 'name'>,
    { keyId }: Principal,
  ): Promise<void> {
    if (keyId === null) return;
    const own = await tx.findOneByOrFail(ApiKey, { id: keyId });
    const isLonger = own.expiresAt !== null && (!properties.expiresAt || properties.expiresAt > own.expiresAt);
    const isWider = !new AddressList(own.allowedAddresses).includes(properties.allowedAddresses ?? []);
    const isFaster = own.callsPerMinute !== null && (properties.callsPerMinute ?? Infinity) > own.callsPerMinute;
    if (isLonger || isWider || isFaster) {
      const { expiresAt, allowedAddresses, callsPerMinute } = own;
      throw new AppError('key_beyond_own', { expiresAt, allowedAddresses, callsPerMinute });
    }
  }

  /** Ended keys do not count: they are stored for the audit. @throws AppError `too_many_saved` */
  private refuseTooMany(tx: EntityManager): Promise<void> {
    return requireRoom(tx, 'api_key', 'revoked_at is null and (expires_at is null or expires_at > $1)', [
      this.clock.now(),
    ]);
  }

  private make(
    operatorId: string,
    properties: KeyProperties,
    { issuedBy, replacesId = null }: { issuedBy: string | null; replacesId?: string | null },
  ): IssuedKey {
    const { key, prefix, hash } = makeKey();
    const apiKey: ApiKey = {
      id: randomUUID(),
      operatorId,
      name: properties.name,
      prefix,
      hash,
      createdAt: this.clock.now(),
      expiresAt: properties.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedAddress: null,
      scope: properties.scope ?? null,
      allowedAddresses: [...(properties.allowedAddresses ?? [])],
      callsPerMinute: properties.callsPerMinute ?? null,
      replacesId,
      issuedBy,
    };
    return { apiKey, key };
  }
}

/** The other operator who has seen a new key: its issuer, or the issuer of the key that issues it. */
async function issuerOf(tx: EntityManager, operatorId: string, actor: Principal): Promise<string | null> {
  if (actor.operatorId !== operatorId) return actor.operatorId;
  if (actor.keyId === null) return null;
  const { issuedBy } = await tx.findOneByOrFail(ApiKey, { id: actor.keyId });
  return issuedBy;
}
