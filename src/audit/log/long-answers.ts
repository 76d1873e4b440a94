import { finished, Readable } from 'node:stream';
import { type Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';

/*
 * Long answers, one at a time per process, since each takes a processor. The answer ends with its stream, and the
 * stream ends with its reader, at any moment. A generator that has not been read yet runs no `finally`, so clean-up
 * listens to the stream. A reader that stalls is disconnected.
 */

/**
 * The longest stall of a reader. The system buffers some megabytes for a reader and asks for more in steps of up to
 * one; a link of 100 kbit/s takes 80 s for such a step.
 */
export const STALLED_MS = 120_000;

const CHECK_EVERY_MS = 5_000;

/** With larger pieces a slow reader would look stalled. */
export const PIECE_CHARACTERS = 64 * 1024;

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
  private isUnderWay = false;

  constructor(private readonly clock: Clock) {}

  /**
   * Starts an answer, unless one is running.
   * @param make called only when no other answer runs
   * @returns the answer as text
   * @throws AppError `audit_busy`; errors of `make`
   */
  async start(make: () => Promise<LongAnswer>): Promise<Readable> {
    if (this.isUnderWay) throw new AppError('audit_busy');
    this.isUnderWay = true;
    try {
      const { pieces, ended } = await make();
      const turn: Turn = { readersSince: this.clock.nowMs() };
      const answer = Readable.from(this.inTurns(pieces, turn), { objectMode: false });
      const streamEnd = new AbortController();
      finished(answer, (error) => {
        streamEnd.abort();
        this.isUnderWay = false;
        ended?.(endOf(error));
      });
      void this.watch(answer, turn, streamEnd.signal);
      return answer;
    } catch (error) {
      this.isUnderWay = false;
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
