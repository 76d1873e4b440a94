import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type DataSource } from 'typeorm';
import { errorFields } from '../platform/log.js';
import { type Secrets } from '../secrets/secrets.js';
import { noCounts, type ResultLine } from './fan-outs.contract.js';
import { type StorableAnswer } from './answer-lines.js';

/*
 * Writes the outcomes of one running fan-out in batches: one statement for all devices of a quarter of a second, never one for
 * each device. The statement is also the sign of life. Calls do not wait for it: what waits is bounded by the number of
 * devices and by the caps of the answers.
 */

/** How often outcomes are written. A person who watches sees them a quarter of a second late. */
const SAVE_EVERY_MS = 250;

/** Without outcomes, a sign of life is written at this interval; a cancellation by another process is noticed as soon. */
const ALIVE_EVERY_MS = 2_000;

/** Rows of one statement: JSON of about 300 kB, which takes the event loop a few milliseconds. */
const ROWS_MAX = 2_000;

/** At the end, a failed statement is repeated this often; then the sweeper ends the fan-out as interrupted. */
const LAST_TRIES = 3;

/** Larger answers, and those beyond the other two limits, are stored with digest and size alone. */
export const STORED_ANSWER_BYTES_MAX = 64 * 1024;
export const STORED_ANSWERS_MAX = 1_000;
export const STORED_BYTES_MAX = 8 * 1024 * 1024;

/** Decides which answers of one fan-out are stored: each different one once, the first ones up to the limits. Pure. */
export class AnswerCaps {
  private readonly digests = new Set<string>();
  private bytes = 0;

  /** @returns whether to store this answer now */
  take(digest: string, bytes: number): boolean {
    if (this.digests.has(digest) || bytes > STORED_ANSWER_BYTES_MAX) return false;
    if (this.digests.size >= STORED_ANSWERS_MAX || this.bytes + bytes > STORED_BYTES_MAX) return false;
    this.digests.add(digest);
    this.bytes += bytes;
    return true;
  }
}

/** The end of a fan-out; `stopped`: why calls stopped, if they did. */
interface FanOutEnd {
  readonly state: 'ended' | 'interrupted';
  readonly stopped: string | null;
}

const SAVE = `
  with run as (
    update fan_out set alive_at = now(), counts = $2::jsonb, state = coalesce($3::text, state), stopped = coalesce($4::text, stopped),
           ended_at = case when $3::text is null then null else now() end
     where id = $1 and state = 'running' returning id, cancel_asked_at is not null as "isCancelled"
  ), device_rows as (
    insert into fan_out_device (fan_out_id, device_id, outcome, reason, status, digest, bytes, device_codes, ms)
    select run.id, row."deviceId", row.outcome, row.reason, row.status, row.digest, row.bytes, row.codes, row.ms
      from run, jsonb_to_recordset($5::jsonb) as row ("deviceId" uuid, outcome text, reason text, status integer, digest text,
           bytes integer, codes integer[], ms integer)
    on conflict do nothing
  ), answer_rows as (
    insert into fan_out_answer (id, fan_out_id, digest, sealed_body)
    select row.id, run.id, row.digest, decode(row.sealed, 'hex')
      from run, jsonb_to_recordset($6::jsonb) as row (id uuid, digest text, sealed text)
    on conflict do nothing
  )
  select "isCancelled" from run`;

export class FanOutRecorder {
  private readonly caps = new AnswerCaps();
  private readonly counts = noCounts();
  /** Rows of `fan_out_device` and `fan_out_answer`, by the names in `SAVE`. */
  private readonly rows: object[] = [];
  private readonly answers: object[] = [];
  private savedAtMs = performance.now();
  private saving: Promise<void> | null = null;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param operationId the id of the fan-out, which the audit entries of its writes have, too
   * @param ended called when the row says that the fan-out was cancelled, or that it is not running any more
   */
  constructor(
    readonly operationId: string,
    private readonly db: Pick<DataSource, 'query'>,
    private readonly secrets: Pick<Secrets, 'seal'>,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly ended: (why: 'cancelled' | 'lost') => void,
  ) {
    this.timer = setInterval(() => this.tick(), SAVE_EVERY_MS).unref();
  }

  /** @param answer without its secrets; null: there is none that can be stored */
  add(line: ResultLine, answer: StorableAnswer | null): void {
    const { deviceId, outcome, reason, status = null, deviceCodes: codes = [], ms = null } = line;
    if (outcome === 'would_call') return; // of a dry run, which is not stored
    this.counts[outcome]++;
    const bytes = answer ? Buffer.byteLength(answer.json) : null;
    this.rows.push({ deviceId, outcome, reason, status, digest: answer?.digest ?? null, bytes, codes, ms });
    if (answer && this.caps.take(answer.digest, bytes!)) {
      const id = randomUUID();
      const sealed = this.secrets.seal(answer.json, { table: 'fan_out_answer', column: 'sealed_body', rowId: id });
      this.answers.push({ id, digest: answer.digest, sealed: sealed.toString('hex') });
    }
  }

  /** Writes what is left, and the end. Whatever fails here is left to the sweeper. */
  async end(end: FanOutEnd): Promise<void> {
    clearInterval(this.timer);
    await this.saving;
    for (let tries = 0; tries < LAST_TRIES; tries++) {
      while (this.rows.length > ROWS_MAX && (await this.save(null)));
      if (this.rows.length <= ROWS_MAX && (await this.save(end))) return;
    }
  }

  private tick(): void {
    if (this.saving) return;
    if (this.rows.length === 0 && performance.now() - this.savedAtMs < ALIVE_EVERY_MS) return;
    this.saving = this.save(null).then(() => {
      this.saving = null;
    });
  }

  /** @returns whether it was saved; if not, the rows are saved with the next ones */
  private async save(end: FanOutEnd | null): Promise<boolean> {
    const rows = this.rows.splice(0, ROWS_MAX);
    const answers = this.answers.splice(0);
    const values = [this.operationId, this.counts, end?.state ?? null, end?.stopped ?? null];
    try {
      const [row] = await this.db.query<{ isCancelled: boolean }[]>(SAVE, [
        ...values,
        JSON.stringify(rows),
        JSON.stringify(answers),
      ]);
      this.savedAtMs = performance.now();
      if (!row) this.ended('lost');
      else if (row.isCancelled) this.ended('cancelled');
      return true;
    } catch (error) {
      this.log.warn(
        { kind: 'fan-out', name: this.operationId, ...errorFields(error) },
        'Outcomes of a fan-out could not be saved',
      );
      this.rows.unshift(...rows);
      this.answers.unshift(...answers);
      return false;
    }
  }
}
