import { finished, Readable } from 'node:stream';
import { countedAs, type Actor } from '../../platform/actor.js';
import { type Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { KeyedSlots } from '../../platform/limits/keyed-slots.js';

/*
 * Long answers, one for each operator and three per process, since each takes a processor while its reader is fast. The answer ends with its stream, and the
 * stream ends with its reader, at any moment. A generator that has not been read yet runs no `finally`, so clean-up
 * listens to the stream. A reader that stalls is disconnected.
 */

/**
 * The longest stall of a reader. The system buffers some megabytes for a reader and asks for more in steps of up to
 * one; a link of 100 kbit/s takes 80 s for such a step.
 */
export const STALLED_MS = 120_000;

/** A slow reader does not keep other operators from the proof of the audit. */
const LIMITS = { total: 3, perKey: 1 } as const;

const CHECK_EVERY_MS = 5_000;

/** With larger pieces a slow reader would look stalled. */
export const PIECE_CHARACTERS = 64 * 1024;

/** The reader of a long answer. */
export interface AuditReader extends Actor {
  /** Absent: a part of the gateway itself. */
  readonly operatorId?: string;
}

export type AnswerEnd = 'complete' | 'reader_left' | 'reader_stalled' | 'error';

export interface LongAnswer {
  readonly pieces: AsyncIterable<string>;
  readonly ended?: (how: AnswerEnd) => void;
}

class ReaderStalled extends Error {}

/** Since when the answer waits for the reader; null while the next piece is made. */
interface Turn {
  readersSince: number | null;
}

export class LongAnswers {
  private readonly slots = new KeyedSlots(LIMITS);

  constructor(private readonly clock: Clock) {}

  /**
   * Starts an answer, unless too many are running.
   * @param make called only when a slot is free
   * @returns the answer as text
   * @throws AppError `audit_busy`; errors of `make`
   */
  async start(make: () => Promise<LongAnswer>, reader: AuditReader): Promise<Readable> {
    const release = this.slots.take(countedAs(reader));
    if (!release) throw new AppError('audit_busy');
    try {
      const { pieces, ended } = await make();
      const turn: Turn = { readersSince: this.clock.nowMs() };
      const answer = Readable.from(this.inTurns(pieces, turn), { objectMode: false });
      const streamEnd = new AbortController();
      finished(answer, (error) => {
        streamEnd.abort();
        release();
        ended?.(endOf(error));
      });
      void this.watch(answer, turn, streamEnd.signal);
      return answer;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Records when each piece was handed to the reader. The last one is the reader's until the stream ends. */
  private async *inTurns(pieces: AsyncIterable<string>, turn: Turn): AsyncGenerator<string> {
    turn.readersSince = null;
    for await (const piece of pieces) {
      turn.readersSince = this.clock.nowMs();
      yield piece;
      turn.readersSince = null;
    }
    turn.readersSince = this.clock.nowMs();
  }

  /** Ends an answer whose reader stalls. */
  private async watch(answer: Readable, turn: Turn, over: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.sleep(CHECK_EVERY_MS, over);
      if (over.aborted) return;
      const { readersSince } = turn;
      if (readersSince === null) continue;
      const nowMs = this.clock.nowMs();
      // After a set-back of the clock the reader would get that much more time.
      if (nowMs < readersSince) turn.readersSince = nowMs;
      else if (nowMs - readersSince >= STALLED_MS) answer.destroy(new ReaderStalled());
    }
  }
}

function endOf(error: NodeJS.ErrnoException | null | undefined): AnswerEnd {
  if (!error) return 'complete';
  if (error instanceof ReaderStalled) return 'reader_stalled';
  return error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'reader_left' : 'error';
}
