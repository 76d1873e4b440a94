import { appendFile } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { isSignedBy, parseNote, parseSignatures, parseVerifierKey } from '../../merkle-log/signed-note.js';
import { ADVISORY_LOCK, tryLock } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { ExternalHttp } from '../../platform/external-http.js';
import { errorFields, LOG } from '../../platform/log.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type CheckpointRow, LogRows } from './log-rows.js';
import { MerkleStore } from './merkle-store.js';

/*
 * Witnesses store checkpoints outside the database, to detect a roll-back of all of it. A file gets each checkpoint
 * once, at the interval. A web witness gets a request as in C2SP tlog-witness: the size that it saw last, the
 * consistency proof, and the checkpoint. It refuses a checkpoint that is not consistent, and answers with its
 * cosignature otherwise, which is stored.
 */

const TIMEOUT_MS = 10_000;

/** A cosignature has one or two lines. */
const ANSWER_BYTES_MAX = 16 * 1024;

/** The witness knows another size; the answer's body contains it (C2SP tlog-witness, add-checkpoint). */
const CONFLICT = 409;

/** The interval of checks whether a witness is due, and the pauses after failures. */
const CHECK_EVERY_MS = 1_000;
const RETRY_MS = [1_000, 5_000, 30_000, 60_000];

type LastCheckpoint = Pick<CheckpointRow, 'size' | 'note'>;

type WitnessSettings = Pick<
  GatewayConfig,
  'AUDIT_WITNESS_FILE' | 'AUDIT_WITNESS_URL' | 'AUDIT_WITNESS_KEY' | 'AUDIT_WITNESS_SECONDS'
>;

@Injectable()
export class Witnesses implements Sweeper, OnApplicationBootstrap {
  readonly name = 'audit-witnesses';
  readonly everyMs = CHECK_EVERY_MS;
  private readonly http = new ExternalHttp({ timeoutMs: TIMEOUT_MS, answerMaxBytes: ANSWER_BYTES_MAX });
  private readonly failures = new Map<string, { count: number; until: number }>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    @Inject(CONFIG) private readonly config: WitnessSettings,
  ) {}

  onApplicationBootstrap(): void {
    const { AUDIT_WITNESS_KEY } = this.config;
    if (AUDIT_WITNESS_KEY && !parseVerifierKey(AUDIT_WITNESS_KEY)?.isWitness) {
      throw new Error('AUDIT_WITNESS_KEY is not the verifier key of a witness');
    }
  }

  get isOn(): boolean {
    return Boolean(this.config.AUDIT_WITNESS_FILE ?? this.config.AUDIT_WITNESS_URL);
  }

  async sweep(): Promise<Record<string, number>> {
    const { AUDIT_WITNESS_FILE: file, AUDIT_WITNESS_URL: url } = this.config;
    if (file) await this.submit(`file:${file}`, (last) => appendTo(file, last.note));
    if (url) await this.submit(url, (last, before) => this.addCheckpoint(url, last, before));
    return {};
  }

  /** Sends a witness the last checkpoint when it is due. A failure is retried and delays nothing else. */
  private async submit(name: string, how: (last: LastCheckpoint, seen: number) => Promise<string>): Promise<void> {
    const now = this.clock.now().getTime();
    const restMs = (this.failures.get(name)?.until ?? 0) - now;
    // Longer than any pause: the clock was set back.
    if (restMs > 0 && restMs <= RETRY_MS.at(-1)!) return;
    try {
      await this.db.transaction(async (tx) => {
        if (!(await tryLock(tx, ADVISORY_LOCK.auditWitnesses))) return;
        const [seen] = await tx.query<{ size: number; shownAt: Date }[]>(
          'select size::float8 as size, shown_at as "shownAt" from audit_witness where name = $1',
          [name],
        );
        // A time in the future: the clock was set back since.
        const sinceMs = seen ? now - seen.shownAt.getTime() : -1;
        if (sinceMs >= 0 && sinceMs < this.config.AUDIT_WITNESS_SECONDS * 1_000) return;
        const last = await new LogRows(tx).checkpoint();
        if (!last || last.size === seen?.size) return;
        const answer = await how(last, seen?.size ?? 0);
        await tx.query(
          `insert into audit_witness (name, size, shown_at, answer) values ($1, $2, $3, $4)
           on conflict (name) do update set size = excluded.size, shown_at = excluded.shown_at, answer = excluded.answer`,
          [name, last.size, new Date(now), answer],
        );
      });
      this.failures.delete(name);
    } catch (error) {
      const count = (this.failures.get(name)?.count ?? 0) + 1;
      this.failures.set(name, { count, until: now + RETRY_MS[Math.min(count, RETRY_MS.length) - 1]! });
      this.log.warn(
        { name, attempt: count, ...errorFields(error) },
        'A checkpoint could not be sent to a witness of the audit log',
      );
    }
  }

  /** @returns the cosignature @throws Error when the witness refuses */
  private async addCheckpoint(url: string, last: LastCheckpoint, before: number): Promise<string> {
    let answer = await this.post(url, last, before);
    const known = /^(\d{1,15})\n?$/.exec(answer.data)?.[1];
    if (answer.status === CONFLICT && known !== undefined && Number(known) <= last.size) {
      if (Number(known) === last.size) return '';
      answer = await this.post(url, last, Number(known));
    }
    if (answer.status !== 200) throw new Error(`The witness answered ${answer.status}`);
    const key = this.config.AUDIT_WITNESS_KEY && parseVerifierKey(this.config.AUDIT_WITNESS_KEY);
    if (!key) return answer.data;
    const signatures = parseSignatures(answer.data);
    const note = parseNote(last.note);
    if (!signatures || !note || !isSignedBy({ text: note.text, signatures }, key)) {
      throw new Error('The witness did not cosign the checkpoint with its key');
    }
    return answer.data;
  }

  private async post(url: string, last: LastCheckpoint, before: number) {
    const proof = await new MerkleStore(this.db.manager).consistency(before, last.size);
    const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
    const { status, body } = await this.http.send(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `old ${before}\n${lines}\n${last.note}`,
    });
    return { status, data: body.toString('utf8') };
  }
}

/** Synced to the disk when it returns: a witness must not lose a checkpoint. */
async function appendTo(file: string, note: string): Promise<string> {
  await appendFile(file, note, { mode: 0o600, flush: true });
  return '';
}
