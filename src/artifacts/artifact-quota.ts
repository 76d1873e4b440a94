import { randomUUID } from 'node:crypto';
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type z } from 'zod';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { ADVISORY_LOCK } from '../database/advisory-locks.js';
import { AppError } from '../platform/errors.js';
import { type usageView } from './artifacts.contract.js';
import { type Draft, type Quota } from './artifacts.js';

/** A reservation grows by this much: 23 MB of firmware take three statements. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** Bytes that do not move for this long have lost their reservation. */
const HELD_FOR_MS = 15 * 60_000;

export type Usage = z.input<typeof usageView>;

/**
 * The space that artifacts may take, over all processes. It is reserved before bytes are taken: bytes pass only as far
 * as their reservation reaches, and it grows ahead of them. Stored bytes count once for each digest, uploads by their
 * reservation. A reservation whose process died ends by itself.
 */
@Injectable()
export class ArtifactQuota implements Quota {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'ARTIFACT_QUOTA_BYTES'>,
  ) {}

  async during(source: Readable, take: (reserved: Readable) => Promise<Draft>): Promise<Draft> {
    const id = randomUUID();
    const reserving = new ReservingStream((bytes) => this.reserve(id, bytes));
    // An error of either side ends both; the store meets it as that of its source.
    pipeline(source, reserving, () => undefined);
    const ending = async (end: () => Promise<void>) => {
      try {
        await end();
      } finally {
        await this.release(id);
      }
    };
    try {
      const draft = await take(reserving);
      return {
        ...draft,
        keep: () => ending(() => draft.keep()),
        discard: () => ending(() => draft.discard()),
      };
    } catch (error) {
      await this.release(id);
      throw error;
    }
  }

  async usage(): Promise<Usage> {
    return { quotaBytes: this.config.ARTIFACT_QUOTA_BYTES, ...(await usageOf(this.db.manager)) };
  }

  /** @throws AppError `artifact_quota_exceeded` */
  private async reserve(id: string, bytes: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.artifactQuota]);
      await tx.query('delete from artifact_reservation where expires_at <= clock_timestamp()');
      await tx.query(
        `insert into artifact_reservation (id, bytes, expires_at)
         values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
         on conflict (id) do update set bytes = excluded.bytes, expires_at = excluded.expires_at`,
        [id, bytes, HELD_FOR_MS],
      );
      const taken = await usageOf(tx);
      const quotaBytes = this.config.ARTIFACT_QUOTA_BYTES;
      if (taken.usedBytes + taken.reservedBytes > quotaBytes) {
        throw new AppError('artifact_quota_exceeded', { quotaBytes, usedBytes: taken.usedBytes });
      }
    });
  }

  private async release(id: string): Promise<void> {
    await this.db.query('delete from artifact_reservation where id = $1', [id]);
  }
}

async function usageOf(tx: EntityManager): Promise<Omit<Usage, 'quotaBytes'>> {
  const [row] = await tx.query<{ used: string; reserved: string }[]>(
    `select (select coalesce(sum(bytes), 0) from (select max(bytes) as bytes from artifact group by sha256) as once) as used,
            (select coalesce(sum(bytes), 0) from artifact_reservation where expires_at > clock_timestamp()) as reserved`,
  );
  return { usedBytes: Number(row!.used), reservedBytes: Number(row!.reserved) };
}

/** Lets bytes through as far as space is reserved for them. */
class ReservingStream extends Transform {
  private reserved = 0;
  private passed = 0;

  constructor(private readonly reserve: (bytes: number) => Promise<void>) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.passed += chunk.length;
    if (this.passed <= this.reserved) return done(null, chunk);
    this.grow().then(
      () => done(null, chunk),
      (error: Error) => done(error),
    );
  }

  /** By a piece, so that it is rare; where there is no space for a piece, by what is needed. */
  private async grow(): Promise<void> {
    const piece = Math.max(this.reserved + PIECE_BYTES, this.passed);
    try {
      await this.reserve(piece);
      this.reserved = piece;
    } catch (error) {
      const isFull = error instanceof AppError && error.code === 'artifact_quota_exceeded';
      if (!isFull || piece === this.passed) throw error;
      await this.reserve(this.passed);
      this.reserved = this.passed;
    }
  }
}
