import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor } from './actor.js';
import { Clock } from './clock.js';
import { AppError } from './errors.js';
import { SweeperRunner, type Sweeper } from './sweeper.js';

/*
 * Idempotency keys (draft-ietf-httpapi-idempotency-key-header): a request that is sent again with the same key is not
 * carried out again; its sender gets what the first one came to. The key is the sender's own, and kept for a day.
 */

const KEPT_MS = 24 * 3_600_000;

const FORM = /^[A-Za-z0-9._-]{8,128}$/;

@Injectable()
export class Idempotency implements Sweeper, OnApplicationBootstrap {
  readonly name = 'old-idempotency-keys';
  readonly everyMs = 600_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  /**
   * Takes a key for a request.
   * @param request what the request asks for; another request with the same key is refused
   * @returns the answer of the first request when it was carried out before, else null: carry it out, then `finish`
   * @throws AppError `idempotency_key_required`, `idempotency_key_reused`, `idempotency_key_running`
   */
  async begin(key: string | undefined, actor: Actor, request: unknown): Promise<string | null> {
    if (key === undefined || !FORM.test(key)) throw new AppError('idempotency_key_required');
    const digest = createHash('sha256').update(JSON.stringify(request)).digest();
    const taken = await this.db.query<unknown[]>(
      `insert into idempotency_key (actor, key, request_digest, created_at) values ($1, $2, $3, $4)
       on conflict do nothing returning key`,
      [actor.subject, key, digest, this.clock.now()],
    );
    if (taken.length > 0) return null;
    const [known] = await this.db.query<{ request_digest: Buffer; answer: Buffer | null }[]>(
      'select request_digest, answer from idempotency_key where actor = $1 and key = $2',
      [actor.subject, key],
    );
    if (known && !known.request_digest.equals(digest)) throw new AppError('idempotency_key_reused');
    if (!known?.answer) throw new AppError('idempotency_key_running');
    return gunzipSync(known.answer).toString('utf8');
  }

  /** Remembers what a request came to. `answer` holds no secret. */
  async finish(key: string, actor: Actor, answer: string): Promise<void> {
    await this.db.query('update idempotency_key set answer = $3 where actor = $1 and key = $2', [
      actor.subject,
      key,
      gzipSync(answer),
    ]);
  }

  /** Gives a key back: its request was refused before anything was done. */
  async release(key: string, actor: Actor): Promise<void> {
    await this.db.query('delete from idempotency_key where actor = $1 and key = $2 and answer is null', [
      actor.subject,
      key,
    ]);
  }

  async sweep(): Promise<Record<string, number>> {
    const [rows] = await this.db.query<[unknown[], number]>(
      'delete from idempotency_key where created_at < $1 returning key',
      [new Date(this.clock.now().getTime() - KEPT_MS)],
    );
    return { forgotten: rows.length };
  }
}
