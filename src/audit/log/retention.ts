import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type Client } from 'pg';
import { DataSource } from 'typeorm';
import { subtreesBetween } from '../../merkle-log/merkle.js';
import { systemActor } from '../../platform/actor.js';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { type DatabaseUrls, ownerClient, DATABASE_URLS } from '../../database/database.js';
import { AppError, isDiskFull } from '../../platform/errors.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { archiveFolder, segmentFileName } from './archived-segments.js';
import { Audit } from '../entries/audit.js';
import { JOIN_ROWS, LINE } from '../entries/canonical.js';
import { ARCHIVE_ACTION } from './log-rows.js';
import { MerkleStore, SEGMENT_LEAVES } from './merkle-store.js';

/*
 * Archives old entries, in segments of 4,096 leaves. A segment is due when a checkpoint older than the retention covers
 * it. It is written into a file with its proof; its root stays in the database. The database owner removes its rows,
 * since the application's role cannot delete them. Segments are archived in order, so the rest is the end of the log
 * above stored roots and can still be proved.
 *
 * A process that dies leaves a file that is later written again with the same bytes: record, removal and audit entry
 * are one transaction.
 */

const DAY_MS = 86_400_000;

const SEGMENTS_PER_PASS = 16;

type RetentionSettings = Pick<GatewayConfig, 'AUDIT_RETENTION_DAYS' | 'AUDIT_ARCHIVE_DIR' | 'DATA_DIR'>;

@Injectable()
export class AuditRetention implements Sweeper {
  readonly name = 'audit-retention';
  readonly everyMs = 10 * 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DATABASE_URLS) private readonly urls: Pick<DatabaseUrls, 'ownerUrl'>,
    @Inject(CONFIG) private readonly config: RetentionSettings,
  ) {}

  get isOn(): boolean {
    return this.config.AUDIT_RETENTION_DAYS > 0;
  }

  async sweep(): Promise<Record<string, number>> {
    const before = new Date(this.clock.now().getTime() - this.config.AUDIT_RETENTION_DAYS * DAY_MS);
    const owner = ownerClient(this.urls.ownerUrl);
    await owner.connect();
    try {
      const { rows } = await owner.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
        ADVISORY_LOCK.auditRetention,
      ]);
      let archived = 0;
      while (rows[0]?.mine && archived < SEGMENTS_PER_PASS && (await this.archiveNext(owner, before))) archived++;
      return { archived };
    } finally {
      await owner.end();
    }
  }

  /** @returns whether there was a segment to archive */
  private async archiveNext(owner: Client, before: Date): Promise<boolean> {
    const [next] = await this.db.query<{ number: number }[]>(
      'select coalesce(max(number), -1)::float8 + 1 as number from audit_segment',
    );
    const number = next!.number;
    const first = number * SEGMENT_LEAVES;
    const end = first + SEGMENT_LEAVES;
    const [signed] = await this.db.query<{ size: number; note: string; signedAt: Date }[]>(
      `select size::float8 as size, note, signed_at as "signedAt" from audit_checkpoint where size >= $1 order by size limit 1`,
      [end],
    );
    if (!signed || signed.signedAt >= before) return false;
    const store = new MerkleStore(this.db.manager);
    const root = await store.subtree(Math.log2(SEGMENT_LEAVES), first);
    const name = segmentFileName(number);
    const digest = await this.writeFile(name, [
      `${JSON.stringify({ proof: 'fleetgate-audit-export/1', checkpoint: signed.note })}\n`,
      await hashLines(store, 0, first),
      await this.segmentLines(first, end),
      await hashLines(store, end, signed.size),
      `${JSON.stringify({ proof: 'end', leaves: SEGMENT_LEAVES })}\n`,
    ]);
    await owner.query('begin');
    try {
      await owner.query(
        `insert into audit_segment (number, first, last, root, file_name, file_sha256, archived_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [number, first, end - 1, root, name, digest, this.clock.now()],
      );
      const range = [first, end];
      const placed = (kind: number) =>
        `(select row_id from audit_leaf where kind = ${kind} and sequence >= $1 and sequence < $2)`;
      await owner.query(`delete from audit_outcome where entry_id in ${placed(1)}`, range);
      await owner.query(`delete from audit_entry where id in ${placed(0)}`, range);
      await owner.query('delete from audit_leaf where sequence >= $1 and sequence < $2', range);
      await owner.query('delete from audit_checkpoint where size < $1', [end]);
      await this.audit.record(owner, {
        actor: systemActor('retention'),
        action: ARCHIVE_ACTION,
        subject: `audit_segment:${number}`,
        facts: { first, last: end - 1, root: root.toString('base64'), file: name, sha256: digest.toString('hex') },
      });
      await owner.query('commit');
    } catch (error) {
      await owner.query('rollback');
      throw error;
    }
    return true;
  }

  /** @throws Error when a row no longer matches its leaf: such a segment stays in the database and needs an operator */
  private async segmentLines(first: number, end: number): Promise<string> {
    const rows = await this.db.query<{ line: string | null; holds: boolean }[]>(
      `select ${LINE} as line, leaf.hash = sha256('\\x00'::bytea || convert_to(${LINE}, 'UTF8')) as holds
         from audit_leaf leaf ${JOIN_ROWS} where leaf.sequence >= $1 and leaf.sequence < $2 order by leaf.sequence`,
      [first, end],
    );
    if (rows.length !== SEGMENT_LEAVES || rows.some(({ holds }) => !holds)) {
      throw new Error(`The audit between ${first} and ${end} is damaged and is not archived; run an audit verify`);
    }
    return rows.map(({ line }) => `${line}\n`).join('');
  }

  /**
   * Writes to a temporary file, syncs and renames it: a file with the final name is complete.
   * @returns its SHA-256
   * @throws AppError `disk_full`; nothing of the file is left
   */
  private async writeFile(name: string, parts: readonly string[]): Promise<Buffer> {
    const folder = archiveFolder(this.config);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = path.join(folder, `${name}.draft`);
    await writeFile(draft, parts, { mode: 0o600, flush: true }).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw isDiskFull(error) ? new AppError('disk_full', { folder }, { cause: error }) : error;
    });
    await rename(draft, path.join(folder, name));
    return createHash('sha256').update(parts.join('')).digest();
  }
}

/** The hashes that replace leaves outside the file. */
async function hashLines(store: MerkleStore, from: number, to: number): Promise<string> {
  let lines = '';
  for (const { height, start } of subtreesBetween(from, to)) {
    const hash = await store.subtree(height, start);
    lines += `${JSON.stringify({ proof: 'hash', height, hash: hash.toString('hex') })}\n`;
  }
  return lines;
}
