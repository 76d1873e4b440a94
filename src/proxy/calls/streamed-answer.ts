import { Readable } from 'node:stream';
import { type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { Cancellation } from '../connections/cancellation.js';
import { type CallSink } from './call-context.js';

export interface DeviceStream {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Readable;
  /** Settles when the answer is complete and the audit entry closed; rejects with the error that ends `body`. */
  readonly done: Promise<void>;
}

/** The answer of a call as a stream. Destroying it cancels the call. */
export class StreamedAnswer implements CallSink {
  readonly cancellation = new Cancellation();
  private begin!: (stream: Omit<DeviceStream, 'done'>) => void;
  private flow: Flow | null = null;
  private readonly body = new Readable({
    read: () => this.flow?.resume(),
    destroy: (error, closed) => {
      this.cancellation.cancel();
      closed(error);
    },
  });

  /** @param call the call that has this sink @returns its answer as soon as the head is there */
  of(call: Promise<void>): Promise<DeviceStream> {
    return new Promise((resolve, reject) => {
      this.begin = (stream) => resolve({ ...stream, done: call });
      call.then(
        () => this.body.push(null),
        (error: Error) => {
          reject(error);
          // After the head the caller has the stream, and gets the error there.
          if (this.flow) this.body.destroy(error);
        },
      );
    });
  }

  head(status: number, headers: AnswerHeaders, flow: Flow): void {
    this.flow = flow;
    this.begin({ status, headers: present(headers), body: this.body });
  }

  data(chunk: Buffer): void {
    if (!this.body.push(chunk)) this.flow?.pause();
  }
}

function present(headers: AnswerHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => !!entry[1]),
  );
}
