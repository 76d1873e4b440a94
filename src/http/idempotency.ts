import { gunzipSync, gzipSync } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor, type ActorWithRights } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError, ERRORS } from '../platform/errors.js';
import { toAppError } from './problem.js';
import { Secrets } from '../secrets/secrets.js';
import { type Sweeper } from '../platform/sweeper.js';

/*
 * Idempotency keys (draft-ietf-httpapi-idempotency-key-header). A repeated request with the same key is not executed
 * again. Its caller gets the answer of the first request, unless the caller's rights have changed since: that answer
 * was authorized by other rules. A key belongs to its caller and is stored for a day. After a refused request the key
 * can be used again. After any other error it cannot, since the error may have come after a commit.
 */

const RETENTION_MS = 24 * 3_600_000;

const FORM = /^[A-Za-z0-9._-]{8,128}$/;

@Injectable()
export class Idempotency implements Sweeper {
  readonly name = 'old-idempotency-keys';
  readonly everyMs = 600_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'keyedDigest' | 'open' | 'seal'>,
  ) {}

  /**
   * Reserves a key for a request.
   * @param request the content of the request; another request with the same key is refused
   * @returns the answer of the first request when it was executed before; else null: execute it, then call `finish`
   * @throws AppError `idempotency_key_required`, `invalid_input` (malformed key), `idempotency_key_reused`,
   *   `idempotency_key_running`, `idempotency_outcome_unknown`, `idempotency_answer_withheld`
   */
  async begin(key: string | undefined, actor: ActorWithRights, request: unknown): Promise<string | null> {
    if (key === undefined) throw new AppError('idempotency_key_required');
    if (!FORM.test(key)) {
      const detail = 'must be 8 to 128 letters, digits and - _ . characters';
      throw new AppError('invalid_input', { errors: [{ pointer: '/header/idempotency-key', detail }] });
    }
    // Keyed: a request may contain a password, and a plain digest of it could be guessed from a database dump.
    const digest = this.secrets.keyedDigest(JSON.stringify(request));
    const taken = await this.db.query<unknown[]>(
      `insert into idempotency_key (actor, key, request_digest, request_id, rights_mark, created_at) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing returning key`,
      [actor.actorId, key, digest, actor.requestId, actor.rights.digest, this.clock.now()],
    );
    if (taken.length > 0) return null;
    const [known] = await this.db.query<
      {
        request_digest: Buffer;
        request_id: string | null;
        created_at: Date;
        rights_mark: Buffer | null;
        failure: string | null;
        sealed: Buffer | null;
        id: string;
      }[]
    >(
      `select id, request_digest, request_id, created_at, rights_mark, failure, sealed_answer as sealed
         from idempotency_key where actor = $1 and key = $2`,
      [actor.actorId, key],
    );
    if (known && !known.request_digest.equals(digest)) throw new AppError('idempotency_key_reused');
    const first = { firstRequestId: known?.request_id ?? null, firstAt: known?.created_at.toISOString() ?? null };
    if (known?.failure) throw new AppError('idempotency_outcome_unknown', { ...first, firstCode: known.failure });
    // The process may have died between the effect and this record. The audit tells, by the id of the first request.
    if (!known?.sealed) throw new AppError('idempotency_key_running', first);
    if (!known.rights_mark?.equals(actor.rights.digest)) throw new AppError('idempotency_answer_withheld');
    const packed = this.secrets.open(known.sealed, locationOf(known.id));
    return gunzipSync(Buffer.from(packed, 'base64')).toString('utf8');
  }

  /** Stores the answer of a request, always sealed. */
  async finish(key: string, actor: Actor, answer: string): Promise<void> {
    const [row] = await this.db.query<{ id: string }[]>(
      'select id from idempotency_key where actor = $1 and key = $2',
      [actor.actorId, key],
    );
    if (!row) return; // deleted by age since
    const sealed = this.secrets.seal(gzipSync(answer).toString('base64'), locationOf(row.id));
    await this.db.query('update idempotency_key set sealed_answer = $2 where id = $1', [row.id, sealed]);
  }

  /** A refusal changed nothing, so its key is released. Any other error may have come after a commit. */
  async fail(key: string, actor: Actor, thrown: unknown): Promise<void> {
    const { code } = toAppError(thrown);
    if (ERRORS[code].status < 500 && code !== 'request_aborted') return this.release(key, actor);
    const mark = 'update idempotency_key set failure = $3 where actor = $1 and key = $2 and sealed_answer is null';
    // When this fails too, the key looks like one of a running request, and the caller is told so.
    await this.db.query(mark, [actor.actorId, key, code]).catch(() => undefined);
  }

  /** Releases a key: its request was refused before it changed anything. */
  async release(key: string, actor: Actor): Promise<void> {
    await this.db.query('delete from idempotency_key where actor = $1 and key = $2 and sealed_answer is null', [
      actor.actorId,
      key,
    ]);
  }

  async sweep(): Promise<Record<string, number>> {
    const [rows] = await this.db.query<[unknown[], number]>(
      'delete from idempotency_key where created_at < $1 returning key',
      [new Date(this.clock.now().getTime() - RETENTION_MS)],
    );
    return { forgotten: rows.length };
  }
}

const locationOf = (rowId: string) => ({ table: 'idempotency_key', column: 'sealed_answer', rowId });
