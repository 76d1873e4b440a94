import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { type Sweeper } from '../platform/sweeper.js';
import { ArtifactStore } from './artifacts.js';

/**
 * Bytes without a row stay this long: a job or an upload makes its bytes durable before the row that names them, and
 * after a deletion by mistake an operator can restore the row from a backup of the database.
 */
const GRACE_MS = 24 * 60 * 60_000;

/** Digests that are looked up at once. */
const BATCH = 500;

/** Removes bytes that no artifact names any more. */
@Injectable()
export class ArtifactsSweeper implements Sweeper {
  readonly name = 'artifacts';
  readonly everyMs = 60 * 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ArtifactStore) private readonly store: ArtifactStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const before = new Date(this.clock.now().getTime() - GRACE_MS);
    let removed = 0;
    let batch: string[] = [];
    for await (const { sha256, storedAt } of this.store.list()) {
      if (storedAt < before) batch.push(sha256);
      if (batch.length < BATCH) continue;
      removed += await this.removeUnnamed(batch, before);
      batch = [];
    }
    return { removed: removed + (await this.removeUnnamed(batch, before)) };
  }

  /** Each is checked again before it is removed: the same bytes may have been stored again. */
  private async removeUnnamed(digests: readonly string[], before: Date): Promise<number> {
    if (digests.length === 0) return 0;
    const rows = await this.db.query<{ sha256: string }[]>(
      'select distinct sha256 from artifact where sha256 = any ($1)',
      [digests],
    );
    const named = new Set(rows.map(({ sha256 }) => sha256));
    let removed = 0;
    for (const sha256 of digests) {
      if (!named.has(sha256) && (await this.store.remove(sha256, before))) removed++;
    }
    return removed;
  }
}
