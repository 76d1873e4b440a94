import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { type PermissionName } from '../platform/endpoint.js';
import { AppError } from '../platform/errors.js';
import { digest, prefixOf } from './key-format.js';
import { type KeyScope } from './key-scope.js';
import { holds, isPermission, type Role } from './permissions.js';

/*
 * Who asks, and may they? Used by the guard of Nest's routes and by the plain routes of the passthrough alike, so that
 * there is one answer to both questions.
 */

/** An actor with rights: `subject` is `key:<id>` or `session:<id>`, `name` is the operator's. */
export interface Principal extends Actor {
  readonly operatorId: string;
  readonly keyId: string | null;
  readonly sessionId: string | null;
  readonly role: Role;
  /** What narrows the key below the rights of its operator; null for sessions, and for keys that are not narrowed. */
  readonly scope: KeyScope | null;
  /** When a second factor was last shown in this session; null for keys, which have none. */
  readonly secondFactorAt: Date | null;
}

interface KeyRow {
  readonly id: string;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly operatorId: string;
  readonly operatorName: string;
  readonly role: Role;
}

/** A revoked key stops working everywhere within this time. */
const MEMORY_MS = 1_000;

/** `last_used_at` is kept to the minute: a key in constant use costs one update a minute. */
const LAST_USE_MS = 60_000;

const MEMORY_SIZE = 10_000;

const REASON_LENGTH_MAX = 500;

@Injectable()
export class Access {
  /** Keys that were found good a moment ago, by the key itself: no digest and no look-up for the next request. */
  private readonly known = new Map<string, { row: KeyRow; until: number }>();
  /** Look-ups under way: all who come with a key meanwhile wait for the same one. */
  private readonly looking = new Map<string, Promise<KeyRow | null>>();
  private readonly used = new Map<string, number>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Finds who sends a request, by `Authorization: Bearer <API key>`.
   * @throws AppError `unauthenticated`; the same for an unknown, wrong, revoked and expired key
   */
  async authenticate(request: FastifyRequest): Promise<Principal> {
    const key = bearer(request.headers.authorization);
    const row = key === null ? null : await this.find(key);
    const now = this.clock.now();
    if (!row || row.revokedAt || (row.expiresAt && row.expiresAt <= now)) throw new AppError('unauthenticated');
    this.noteUse(row.id, now);
    return {
      subject: `key:${row.id}`,
      name: row.operatorName,
      requestId: request.id,
      address: request.ip,
      reason: reasonOf(request),
      operatorId: row.operatorId,
      keyId: row.id,
      sessionId: null,
      role: row.role,
      scope: null,
      secondFactorAt: null,
    };
  }

  /** @throws AppError `forbidden` that names the permission */
  require(actor: Actor, permission: PermissionName): void {
    if (!isPermission(permission)) throw new Error(`There is no permission ${permission}`);
    const { role } = actor as Partial<Principal>;
    if (!role || !holds(role, permission)) throw new AppError('forbidden', { permission });
  }

  /** Forgets the keys that this process knows: one of them was changed. */
  forget(): void {
    this.known.clear();
  }

  private async find(key: string): Promise<KeyRow | null> {
    const now = this.clock.now().getTime();
    const known = this.known.get(key);
    if (known && known.until > now) return known.row;
    let looking = this.looking.get(key);
    if (!looking) {
      looking = this.look(key, now).finally(() => this.looking.delete(key));
      this.looking.set(key, looking);
    }
    return looking;
  }

  private async look(key: string, now: number): Promise<KeyRow | null> {
    const prefix = prefixOf(key);
    if (prefix === null) return null;
    const row = await this.row(prefix);
    if (!row || !timingSafeEqual(row.hash, digest(key))) return null;
    if (this.known.size >= MEMORY_SIZE) this.known.clear();
    this.known.set(key, { row, until: now + MEMORY_MS });
    return row;
  }

  private async row(prefix: string): Promise<KeyRow | null> {
    const rows = await this.db.query<KeyRow[]>(
      `select key.id, key.hash, key.expires_at as "expiresAt", key.revoked_at as "revokedAt",
              operator.id as "operatorId", operator.name as "operatorName", operator.role
         from api_key key join operator on operator.id = key.operator_id
        where key.prefix = $1`,
      [prefix],
    );
    return rows[0] ?? null;
  }

  /** Written behind the request: it must not wait for this, nor fail by it. */
  private noteUse(keyId: string, now: Date): void {
    const last = this.used.get(keyId) ?? 0;
    if (now.getTime() - last < LAST_USE_MS) return;
    this.used.set(keyId, now.getTime());
    this.db
      .query('update api_key set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)', [
        keyId,
        now,
      ])
      .catch(() => this.used.delete(keyId));
  }
}

function bearer(header: string | undefined): string | null {
  const found = /^Bearer ([\w-]{1,200})$/i.exec(header ?? '');
  return found?.[1] ?? null;
}

/** X-Change-Reason, cut and freed of control characters; headers are Latin-1 on the wire and often UTF-8 in fact. */
function reasonOf(request: FastifyRequest): string | null {
  const header = request.headers['x-change-reason'];
  if (typeof header !== 'string') return null;
  const text = Buffer.from(header, 'latin1')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return text === '' ? null : text.slice(0, REASON_LENGTH_MAX);
}
