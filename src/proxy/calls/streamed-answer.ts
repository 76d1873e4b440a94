import { Readable } from 'node:stream';
import { type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { type AppError } from '../../platform/errors.js';
import { type CallSink } from './call-context.js';
import { type DeviceCall } from './device-call.js';

export interface DeviceStream {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Readable;
  /** Settles when the answer is complete and the audit entry closed; rejects with the error that ends `body`. */
  readonly done: Promise<void>;
}

/** The answer of a call as a stream. Destroying it cancels the call. */
export class StreamedAnswer implements CallSink {
  /** Resolves with the head of the answer. */
  readonly begun: Promise<DeviceStream>;
  call: DeviceCall | null = null;
  private readonly done: Promise<void>;
  private begin!: (stream: DeviceStream) => void;
  private refuse!: (error: AppError) => void;
  private resolve!: () => void;
  private reject!: (error: AppError) => void;
  private flow: Flow | null = null;
  private readonly body: Readable;

  constructor() {
    this.begun = new Promise((resolve, reject) => {
      this.begin = resolve;
      this.refuse = reject;
    });
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.done.catch(() => undefined); // the error ends `begun` or `body`, too
    this.body = new Readable({
      read: () => this.flow?.resume(),
      destroy: (error, closed) => {
        this.call?.cancel();
        closed(error);
      },
    });
  }

  head(status: number, headers: AnswerHeaders, flow: Flow): void {
    const { body, done } = this;
    this.flow = flow;
    this.begin({ status, headers: present(headers), body, done });
  }

  data(chunk: Buffer): void {
    if (!this.body.push(chunk)) this.flow?.pause();
  }

  end(): void {
    this.body.push(null);
    this.resolve();
  }

  fail(error: AppError): void {
    this.reject(error);
    this.refuse(error);
    // After the head the caller has the stream, and gets the error there.
    if (this.flow) this.body.destroy(error);
  }
}

function present(headers: AnswerHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => !!entry[1]),
  );
}
