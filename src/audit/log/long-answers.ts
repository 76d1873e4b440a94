import { finished, Readable } from 'node:stream';
import { type Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';

/*
 * Answers of which a process gives one at a time, since each takes a processor. Such an answer ends with its stream, and the
 * stream ends with its reader, at whatever moment they leave: a generator of which nobody has read anything yet runs no
 * `finally`, so nothing is left to one. A reader that stays and takes nothing is given up.
 */

/**
 * A reader may stall so long. The system takes some megabytes ahead of a reader, and asks for more in steps of up to one; a
 * line of 100 kbit/s takes that in 80 s.
 */
export const STALLED_MS = 120_000;

const LOOK_EVERY_MS = 5_000;

/** Larger pieces would hide that a slow reader reads. */
export const PIECE_CHARACTERS = 64 * 1024;

/** How an answer ended. */
export type AnswerEnd = 'complete' | 'reader_left' | 'reader_stalled' | 'error';

/** An answer that was made, and what is done when it has ended. */
export interface LongAnswer {
  readonly pieces: AsyncIterable<string>;
  readonly ended?: (how: AnswerEnd) => void;
}

class ReaderStalled extends Error {}

/** Since when it is the reader's turn; null while the next piece is made. */
interface Turn {
  readersSince: number | null;
}

export class LongAnswers {
  private isUnderWay = false;

  constructor(private readonly clock: Clock) {}

  /**
   * Gives an answer, unless one is under way.
   * @param make is called once it is certain that there is no other
   * @returns the answer as text
   * @throws AppError `audit_busy`; what `make` throws
   */
  async start(make: () => Promise<LongAnswer>): Promise<Readable> {
    if (this.isUnderWay) throw new AppError('audit_busy');
    this.isUnderWay = true;
    try {
      const { pieces, ended } = await make();
      const turn: Turn = { readersSince: this.clock.nowMs() };
      const answer = Readable.from(this.inTurns(pieces, turn), { objectMode: false });
      const over = new AbortController();
      finished(answer, (error) => {
        over.abort();
        this.isUnderWay = false;
        ended?.(endOf(error));
      });
      void this.watch(answer, turn, over.signal);
      return answer;
    } catch (error) {
      this.isUnderWay = false;
      throw error;
    }
  }

  /** The pieces, and whose turn it is: the last one is with the reader until the stream has ended. */
  private async *inTurns(pieces: AsyncIterable<string>, turn: Turn): AsyncGenerator<string> {
    turn.readersSince = null;
    for await (const piece of pieces) {
      turn.readersSince = this.clock.nowMs();
      yield piece;
      turn.readersSince = null;
    }
    turn.readersSince = this.clock.nowMs();
  }

  /** Ends an answer whose reader takes nothing. */
  private async watch(answer: Readable, turn: Turn, over: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.sleep(LOOK_EVERY_MS, over);
      if (over.aborted) return;
      const { readersSince } = turn;
      if (readersSince === null) continue;
      const nowMs = this.clock.nowMs();
      // A clock that was set back would give the reader the time until it is there again.
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
