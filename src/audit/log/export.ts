import { type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { type z } from 'zod';
import { nodeHash, subtreesBetween, type Subtree } from '../../merkle-log/merkle.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { DeviceFilters, ofEntry } from '../entries/audit-filter.js';
import { AuditLog } from './audit-log.js';
import { type ExportInput, type exportLine } from '../entries/audit.contract.js';
import { Audit } from '../entries/audit.js';
import { JOIN_ROWS, LINE } from '../entries/canonical.js';
import { type AuditReader, LongAnswers, PIECE_CHARACTERS, type AnswerEnd } from './long-answers.js';
import { LogRows } from './log-rows.js';
import { MerkleStore } from './merkle-store.js';
import { Sequencer } from './sequencer.js';

/*
 * A part of the audit with its proof, as lines of JSON. Lines that begin with {"proof" are the proof; all others are
 * the exact bytes of leaves. As few hashes as possible replace the other leaves. The root is computed from the lines in
 * order and compared with the signed checkpoint in the first one. docs/verify-export.sh does it with public tools.
 */

const LEAVES_AT_ONCE = 4_096;

interface Counts {
  leaves: number;
  hashes: number;
}

interface ExportedLeaf {
  readonly sequence: number;
  readonly hash: Buffer;
  readonly line: string | null;
}

@Injectable()
export class AuditExport {
  private readonly answers: LongAnswers;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AuditLog) private readonly log: AuditLog,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Sequencer) private readonly sequencer: Sequencer,
    @Inject(DeviceFilters) private readonly devices: DeviceFilters,
    @Inject(Clock) clock: Clock,
    @Inject(LOG) private readonly logger: Logger,
  ) {
    this.answers = new LongAnswers(clock);
  }

  /**
   * Exports the matching entries with their outcomes. The export's own entry is written first, so it is in the export,
   * too.
   * @returns text
   * @throws AppError `audit_busy`, `invalid_selector`
   */
  start(input: ExportInput, actor: AuditReader): Promise<Readable> {
    return this.answers.start(async () => {
      const values: unknown[] = [];
      const conditions = await this.devices.conditions(input, actor, values);
      const entryId = await this.audit.open({ actor, action: 'audit.export', subject: 'audit', facts: { ...input } });
      const counts: Counts = { leaves: 0, hashes: 0 };
      try {
        await this.sequencer.place(entryId);
      } catch (error) {
        this.close(entryId, 'error', counts);
        throw error;
      }
      return { pieces: this.lines(conditions, values, counts), ended: (how) => this.close(entryId, how, counts) };
    }, actor);
  }

  /** Closes the entry after the answer. When that fails, the sweeper closes it as `unknown`. */
  private close(entryId: string, how: AnswerEnd, counts: Counts): void {
    const outcome = how === 'complete' ? 'succeeded' : 'failed';
    const why = how === 'complete' ? null : { why: how };
    this.audit.close(entryId, outcome, { ...counts, ...why }).catch((error: unknown) => {
      this.logger.warn({ outcome, ...errorFields(error) }, 'The audit entry of an export could not be closed');
    });
  }

  private async *lines(conditions: readonly string[], values: unknown[], counts: Counts): AsyncGenerator<string> {
    const last = await new LogRows(this.db.manager).checkpoint();
    if (!last) throw new AppError('checkpoint_not_found');
    const { note, size } = last;
    const { verifier } = await this.log.key();
    const head: z.input<typeof exportLine> = {
      proof: 'fleetgate-audit-export/1',
      origin: verifier.name,
      key: await this.log.verifierKey(),
      checkpoint: note,
    };
    yield `${JSON.stringify(head)}\n`;
    const gaps = new Gaps();
    const isChosen = ofEntry(conditions);
    const first = await this.firstLeaf();
    for (const { height, start } of subtreesBetween(0, first)) {
      gaps.skip(start, { height, hash: await new MerkleStore(this.db.manager).subtree(height, start) });
    }
    for (let from = first; from < size; from += LEAVES_AT_ONCE) {
      let text = '';
      for (const leaf of await this.leaves(from, Math.min(from + LEAVES_AT_ONCE, size), isChosen, values)) {
        if (leaf.line === null) {
          gaps.skip(leaf.sequence, { height: 0, hash: leaf.hash });
          continue;
        }
        text += gaps.take(counts) + `${leaf.line}\n`;
        counts.leaves++;
        if (text.length < PIECE_CHARACTERS) continue;
        yield text;
        text = '';
      }
      if (text !== '') yield text;
    }
    yield gaps.take(counts) + `${JSON.stringify({ proof: 'end', ...counts })}\n`;
  }

  /** The first leaf that is not in an archived segment. */
  private async firstLeaf(): Promise<number> {
    const [row] = await this.db.query<{ first: number }[]>(
      'select coalesce((select max(last) from audit_segment), -1)::float8 + 1 as first',
    );
    return row!.first;
  }

  /** An outcome matches with its entry, whose id both leaves have. */
  private leaves(from: number, to: number, isChosen: string, values: readonly unknown[]): Promise<ExportedLeaf[]> {
    const param = values.length;
    return this.db.query<ExportedLeaf[]>(
      `select leaf.sequence::float8 as sequence, leaf.hash, chosen.line
         from audit_leaf leaf
         left join lateral (
           select ${LINE} as line
             from (select) as one ${JOIN_ROWS}
            where ${isChosen}) as chosen on true
        where leaf.sequence >= $${param + 1} and leaf.sequence < $${param + 2} order by leaf.sequence`,
      [...values, from, to],
    );
  }
}

/** Combines the hashes of omitted leaves into as few as possible. */
class Gaps {
  private parts: Subtree[] = [];
  private end = 0;

  skip(start: number, part: Subtree): void {
    let joined = part;
    this.end = start + 2 ** part.height;
    for (let last = this.parts.at(-1); last?.height === joined.height; last = this.parts.at(-1)) {
      const width = 2 ** (joined.height + 1);
      if (this.end % width !== 0) break; // these neighbours are not the two halves of one subtree
      this.parts.pop();
      joined = { height: joined.height + 1, hash: nodeHash(last.hash, joined.hash) };
    }
    this.parts.push(joined);
  }

  take(counts: { hashes: number }): string {
    const parts = this.parts.splice(0);
    counts.hashes += parts.length;
    return parts
      .map(({ height, hash }) => `${JSON.stringify({ proof: 'hash', height, hash: hash.toString('hex') })}\n`)
      .join('');
  }
}
