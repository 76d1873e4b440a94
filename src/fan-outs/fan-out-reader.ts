import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '../platform/errors.js';
import { Cancellation } from '../proxy/connections/cancellation.js';
import { lineJson } from './answer-lines.js';
import { type FanOutLine } from './fan-outs.contract.js';

/** The longest silence while devices think: proxies in front give up after 60 s. */
const SILENCE_MS = 15_000;

/** What says that the stream lives: JSON allows it before the next line. */
const ALIVE = ' ';

/** The size of a piece: whether a slow reader takes anything is checked piece by piece. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * Passes the lines of a fan-out to its reader, at the reader's speed. When the reader stalls, no more calls of a fan-out
 * that is not stored begin, and the summary says why. After as long again the connection ends.
 */
export class FanOutReader {
  readonly stream = new Readable({ read: () => this.noteRead() });
  /** Happens when its connection closes; an ended stream notices that only with its next piece. */
  readonly cancellation = new Cancellation();
  /** Why no more calls may begin; null while it reads. */
  stalled: string | null = null;
  private wake: (() => void) | null = null;
  private stall: NodeJS.Timeout | undefined;
  private readonly alive: NodeJS.Timeout;

  constructor(
    private readonly raw: ServerResponse,
    private readonly stallMs: number,
    silenceMs = SILENCE_MS,
  ) {
    this.alive = setInterval(() => this.sayAlive(), silenceMs).unref();
    const leave = () => {
      clearInterval(this.alive);
      this.stream.destroy();
      this.cancellation.cancel();
      this.noteRead();
    };
    if (raw.destroyed) leave();
    else raw.once('close', leave);
  }

  /** Resolves when the reader wants more, or has left: what comes after that is dropped. */
  async write(lines: readonly FanOutLine[]): Promise<void> {
    for (const piece of piecesOf(lines)) {
      if (this.cancellation.isCancelled) return;
      this.alive.refresh();
      if (this.stream.push(piece)) continue;
      this.watchForStall();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** After the last line; that it is taken is watched, too. */
  end(): void {
    if (this.cancellation.isCancelled) return;
    clearInterval(this.alive);
    this.stream.push(null);
    this.watchForStall();
  }

  private sayAlive(): void {
    if (this.stream.readableLength === 0) this.stream.push(ALIVE);
  }

  private watchForStall(): void {
    clearTimeout(this.stall);
    this.stall = setTimeout(() => {
      this.stalled ??= `its reader read nothing for ${this.stallMs / 1000} s`;
      this.stall = setTimeout(() => this.raw.destroy(), this.stallMs).unref();
    }, this.stallMs).unref();
  }

  private noteRead(): void {
    clearTimeout(this.stall);
    this.wake?.();
    this.wake = null;
  }
}

function* piecesOf(lines: readonly FanOutLine[]): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += `${lineJson(line)}\n`;
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** @throws AppError `request_aborted` when the reader has disconnected */
export function requireReader({ destroyed }: ServerResponse): void {
  if (destroyed) throw new AppError('request_aborted');
}
