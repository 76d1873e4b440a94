import { type ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type Principal } from '../auth/access/access.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { Cancellation } from '../proxy/connections/cancellation.js';

/*
 * Limits the readers of fan-outs. Unread lines wait in memory and their fan-out stays open, so an operator may have
 * only a few. When a reader stalls, no more calls begin and the summary says why. After as long again the connection ends.
 */

export class FanOutReader {
  /** Happens when its connection closes; an ended stream notices that only with its next piece. */
  readonly cancellation = new Cancellation();
  /** Why no more calls may begin; null while it reads. */
  stalled: string | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly raw: ServerResponse,
    private readonly stallMs: number,
    left: () => void,
  ) {
    const close = () => {
      this.readerProgressed();
      this.cancellation.cancel();
      left();
    };
    if (raw.destroyed) close();
    else raw.once('close', close);
  }

  /** Passes pieces on, and checks that each is taken; the last one, too. */
  async *pass(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of pieces) {
      this.watchForStall();
      yield piece;
      this.readerProgressed();
    }
    if (!this.cancellation.isCancelled) this.watchForStall();
  }

  private watchForStall(): void {
    this.timer = setTimeout(() => {
      this.stalled ??= `its reader read nothing for ${this.stallMs / 1000} s`;
      this.timer = setTimeout(() => this.raw.destroy(), this.stallMs).unref();
    }, this.stallMs).unref();
  }

  private readerProgressed(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}

/** Who is counted. */
type FanOutCaller = Pick<Principal, 'operatorId'>;

@Injectable()
export class FanOutReaders {
  /** Open fan-outs by operator. */
  private readonly open = new Map<string, number>();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'FAN_OUTS_PER_OPERATOR' | 'FAN_OUT_READER_SECONDS'>,
  ) {}

  /** Counts a fan-out until the reader's connection closes. @throws AppError `too_many_fan_outs` */
  register(caller: FanOutCaller, raw: ServerResponse): FanOutReader {
    const leave = this.take(caller);
    return this.follow(raw, leave);
  }

  /** Counts a fan-out that continues without its reader. @returns ends the count @throws AppError `too_many_fan_outs` */
  take({ operatorId }: FanOutCaller): () => void {
    const open = this.open.get(operatorId) ?? 0;
    const limit = this.config.FAN_OUTS_PER_OPERATOR;
    if (open >= limit) throw new AppError('too_many_fan_outs', { limit });
    this.open.set(operatorId, open + 1);
    return () => this.leave(operatorId);
  }

  /** A reader that is not counted. @param left called when its connection closes */
  follow(raw: ServerResponse, left: () => void): FanOutReader {
    return new FanOutReader(raw, this.config.FAN_OUT_READER_SECONDS * 1000, left);
  }

  private leave(operatorId: string): void {
    const open = (this.open.get(operatorId) ?? 1) - 1;
    if (open > 0) this.open.set(operatorId, open);
    else this.open.delete(operatorId);
  }
}

/** @throws AppError `request_aborted` when the reader has disconnected */
export function requireReader({ destroyed }: ServerResponse): void {
  if (destroyed) throw new AppError('request_aborted');
}
