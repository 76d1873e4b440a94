import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { type PermissionName } from '../../http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { AddressList, sourceOf } from '../rights/address-list.js';
import { digest, isSessionToken, prefixOf } from '../rights/key-format.js';
import { type KeyScope } from '../rights/key-scope.js';
import { Locks } from './locks.service.js';
import { isPermission } from '../rights/permissions.js';
import { CredentialCache, type CredentialRow } from '../rights/credential-cache.js';
import { type Rights } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';
import { readCookie, requireSameOrigin } from './session-cookie.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Authentication and authorization for both Nest's routes and the plain routes of the passthrough. A program sends an
 * API key, a person the cookie of a session. When a request has both, the key counts.
 */

/** An authenticated caller with its rights: `actorId` is `key:<id>` or `session:<id>`, `name` is the operator's. */
export interface Principal extends Actor {
  readonly operatorId: string;
  readonly keyId: string | null;
  readonly sessionId: string | null;
  readonly rights: Rights;
  /** The key's scope, which narrows its operator's rights; null for sessions and unrestricted keys. */
  readonly scope: KeyScope | null;
  /** When this session last used a second factor; null for keys, which have none. */
  readonly secondFactorAt: Date | null;
  /** The key's own rate limit; null: the configured one. */
  readonly callsPerMinute: number | null;
}

/** What a key or a session says of its caller: all of a `Principal` that does not depend on the request. */
interface OperatorCredentialRow
  extends
    CredentialRow,
    Pick<Principal, 'actorId' | 'keyId' | 'sessionId' | 'scope' | 'secondFactorAt' | 'callsPerMinute'> {
  readonly operatorName: string;
  readonly disabledAt: Date | null;
  readonly revokedAt: Date | null;
}

interface KeyRow extends OperatorCredentialRow {
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
  readonly addresses: AddressList;
}

interface SessionRow extends OperatorCredentialRow {
  readonly endsAt: Date;
  readonly lastSeenAt: Date;
}

type StoredKey = Omit<KeyRow, 'addresses' | 'actorId' | 'keyId' | 'sessionId' | 'secondFactorAt'> & {
  readonly allowedAddresses: readonly string[];
};
type StoredSession = Omit<SessionRow, 'actorId' | 'keyId' | 'sessionId' | 'scope' | 'callsPerMinute'>;

const OPERATOR_COLUMNS = `operator.id as "operatorId", operator.name as "operatorName", operator.disabled_at as "disabledAt"`;

const REASON_LENGTH_MAX = 500;

/** Uses of a key from a forbidden network are audited at most this often for each key and source. */
const FOREIGN_USE_AUDITED_MS = 10 * 60_000;

@Injectable()
export class Access {
  private readonly keys: CredentialCache<KeyRow>;
  private readonly sessions: CredentialCache<SessionRow>;
  private readonly keyUses: UsageTracker;
  private readonly sessionUses: UsageTracker;
  private readonly foreignUses = boundedCache<string, number>(1_000);

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) notifications: PgNotifications,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(Locks) private readonly locks: Locks,
  ) {
    this.keys = new CredentialCache(notifications, (key) => this.loadKey(key));
    this.sessions = new CredentialCache(notifications, (token) => this.loadSession(token));
    this.keyUses = new UsageTracker(db, 'api_key', 'last_used_at', 'last_used_address');
    this.sessionUses = new UsageTracker(db, 'operator_session', 'last_seen_at', 'last_seen_address');
    notifications.on('api_key', (id) => this.keys.forget(id));
    notifications.on('operator_session', (id) => this.sessions.forget(id));
    notifications.on('operator', (id) => this.forgetOperator(id));
  }

  /**
   * Authenticates a request by `Authorization: Bearer <API key>` or by a session cookie.
   * @throws AppError `unauthenticated`, the same for unknown, wrong, revoked and expired ones; `address_refused` for a
   *   valid key from a forbidden network; `locked`; `cross_site_refused` for a write with a cookie from another site
   */
  authenticate(request: FastifyRequest): Principal | Promise<Principal> {
    const row = this.identify(request);
    return row instanceof Promise
      ? row.then((found) => this.withRights(request, found))
      : this.withRights(request, row);
  }

  private withRights(request: FastifyRequest, row: OperatorCredentialRow): Principal | Promise<Principal> {
    this.locks.refuseActor(row);
    const rights = this.rights.cachedRights(row.operatorId, row.scope);
    if (rights) return principalOf(request, row, rights);
    return this.rights.of(row.operatorId, row.scope).then((found) => principalOf(request, row, found));
  }

  private identify(request: FastifyRequest): OperatorCredentialRow | Promise<OperatorCredentialRow> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.byKey(request, authorization);
    const token = readCookie(request, this.config);
    if (token === null) throw new AppError('unauthenticated');
    return this.bySession(request, token);
  }

  /** Requires that an actor holds a permission for any device. @throws AppError `forbidden` that names the permission */
  require(actor: Actor, permission: PermissionName): void {
    if (!isPermission(permission)) throw new Error(`There is no permission ${permission}`);
    const { rights } = actor as Partial<Principal>;
    if (!rights?.allows({ action: permission })) throw new AppError('forbidden', { permission });
  }

  /** Drops an operator with all keys and sessions from this process's cache; notifications do so in all replicas. */
  forgetOperator(operatorId: string | null): void {
    this.keys.forgetOperator(operatorId);
    this.sessions.forgetOperator(operatorId);
  }

  private byKey(
    request: FastifyRequest,
    authorization: string,
  ): OperatorCredentialRow | Promise<OperatorCredentialRow> {
    const key = bearer(authorization);
    if (key === null) throw new AppError('unauthenticated');
    const found = this.keys.find(key, this.clock.nowMs());
    return found instanceof Promise ? found.then((row) => this.checkKey(request, row)) : this.checkKey(request, found);
  }

  private checkKey(request: FastifyRequest, row: KeyRow | null): KeyRow {
    const now = this.clock.now();
    if (!row || hasEnded(row) || (row.expiresAt && row.expiresAt <= now)) throw new AppError('unauthenticated');
    if (!row.addresses.holds(request.callerAddress)) {
      this.auditForeignUse(row, request, now);
      throw new AppError('address_refused');
    }
    this.keyUses.record(row.id, request.callerAddress, now);
    return row;
  }

  private async bySession(request: FastifyRequest, token: string): Promise<SessionRow> {
    const now = this.clock.now();
    const found = isSessionToken(token) ? this.sessions.find(token, now.getTime()) : null;
    let row = found instanceof Promise ? await found : found;
    if (row && this.isIdle(row, now)) {
      // Another replica may have stored a later use since this row was read.
      this.sessions.forget(row.id);
      row = await this.sessions.find(token, now.getTime());
    }
    if (!row || hasEnded(row) || row.endsAt <= now || this.isIdle(row, now)) throw new AppError('unauthenticated');
    requireSameOrigin(request, this.config);
    this.sessionUses.record(row.id, request.callerAddress, now);
    return row;
  }

  private isIdle(row: SessionRow, now: Date): boolean {
    const seenAt = Math.max(row.lastSeenAt.getTime(), this.sessionUses.lastStored(row.id));
    return now.getTime() - seenAt > this.config.SESSION_IDLE_MINUTES * 60_000;
  }

  private async loadKey(key: string): Promise<KeyRow | null> {
    const prefix = prefixOf(key);
    if (prefix === null) return null;
    const [row] = await this.db.query<StoredKey[]>(
      `select key.id, key.hash, key.expires_at as "expiresAt", key.revoked_at as "revokedAt", key.scope,
              key.allowed_addresses as "allowedAddresses", key.calls_per_minute as "callsPerMinute", ${OPERATOR_COLUMNS}
         from api_key key join operator on operator.id = key.operator_id
        where key.prefix = $1`,
      [prefix],
    );
    if (!row || !timingSafeEqual(row.hash, digest(key))) return null;
    const { allowedAddresses, ...stored } = row;
    return {
      addresses: new AddressList(allowedAddresses),
      actorId: `key:${row.id}`,
      keyId: row.id,
      sessionId: null,
      secondFactorAt: null,
      ...stored,
    };
  }

  private async loadSession(token: string): Promise<SessionRow | null> {
    const [row] = await this.db.query<StoredSession[]>(
      `select session.id, session.ends_at as "endsAt", session.revoked_at as "revokedAt",
              session.second_factor_at as "secondFactorAt", session.last_seen_at as "lastSeenAt", ${OPERATOR_COLUMNS}
         from operator_session session join operator on operator.id = session.operator_id
        where session.hash = $1`,
      [digest(token)],
    );
    return row
      ? { actorId: `session:${row.id}`, keyId: null, sessionId: row.id, scope: null, callsPerMinute: null, ...row }
      : null;
  }

  /** Audits a valid key used from a forbidden network, at a limited rate. The refusal does not wait for it. */
  private auditForeignUse(row: KeyRow, request: FastifyRequest, now: Date): void {
    const source = `${row.id} ${sourceOf(request.callerAddress)}`;
    if (now.getTime() - (this.foreignUses.get(source) ?? 0) < FOREIGN_USE_AUDITED_MS) return;
    this.foreignUses.set(source, now.getTime());
    const entry = {
      actor: actorOf(request, row),
      action: 'api_key.address_refuse',
      subject: `api_key:${row.id}`,
    } as const;
    this.audit.record(this.db.manager, entry, 'failed').catch(() => this.foreignUses.delete(source));
  }
}

const hasEnded = ({ revokedAt, disabledAt }: OperatorCredentialRow) => revokedAt !== null || disabledAt !== null;

function actorOf(request: FastifyRequest, { actorId, operatorName }: OperatorCredentialRow): Actor {
  return {
    actorId,
    name: operatorName,
    requestId: request.id,
    address: request.callerAddress,
    reason: reasonOf(request),
  };
}

/** Without a spread: every request gets one of these. */
function principalOf(request: FastifyRequest, row: OperatorCredentialRow, rights: Rights): Principal {
  return {
    actorId: row.actorId,
    name: row.operatorName,
    requestId: request.id,
    address: request.callerAddress,
    reason: reasonOf(request),
    operatorId: row.operatorId,
    keyId: row.keyId,
    sessionId: row.sessionId,
    rights,
    scope: row.scope,
    secondFactorAt: row.secondFactorAt,
    callsPerMinute: row.callsPerMinute,
  };
}

function bearer(header: string): string | null {
  const found = /^Bearer ([\w-]{1,200})$/i.exec(header);
  return found?.[1] ?? null;
}

/** Shortened and without control characters. HTTP decodes headers as Latin-1, but clients often send UTF-8. */
function reasonOf(request: FastifyRequest): string | null {
  const header = request.headers['x-change-reason'];
  if (typeof header !== 'string') return null;
  const text = Buffer.from(header, 'latin1')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return text === '' ? null : text.slice(0, REASON_LENGTH_MAX);
}

/** The precision is a minute: a key in constant use costs one update a minute. */
const STORED_EVERY_MS = 60_000;

const CACHE_SIZE = 20_000;

/** Requests neither wait for the write nor fail with it. */
export class UsageTracker {
  private readonly storedAt = boundedCache<string, number>(CACHE_SIZE);

  constructor(
    private readonly db: DataSource,
    private readonly table: 'api_key' | 'operator_session',
    private readonly atColumn: string,
    private readonly addressColumn: string,
  ) {}

  /** When this process last stored a use, in milliseconds since 1970; 0 when it has not. */
  lastStored(id: string): number {
    return this.storedAt.get(id) ?? 0;
  }

  record(id: string, address: string, now: Date): void {
    if (now.getTime() - this.lastStored(id) < STORED_EVERY_MS) return;
    this.storedAt.set(id, now.getTime());
    this.db
      .query(
        `update ${this.table} set ${this.atColumn} = $2, ${this.addressColumn} = $3
          where id = $1 and (${this.atColumn} is null or ${this.atColumn} < $2)`,
        [id, now, address],
      )
      .catch(() => this.storedAt.delete(id));
  }
}
