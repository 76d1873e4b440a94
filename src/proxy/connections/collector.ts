import { deviceJson, readDeviceJson, type UnreadableJson } from '../../device-api/device-json.js';
import { type AnswerHeaders, type AnswerSink } from '../../device-api/exchange.js';
import { type AppError } from '../../platform/errors.js';

/** Collects a complete answer in memory. */
export class Collector implements AnswerSink {
  status = 0;
  headers: AnswerHeaders = {};
  private chunks: Buffer[] = [];

  head(status: number, headers: AnswerHeaders): void {
    this.status = status;
    this.headers = headers;
    this.chunks = [];
  }

  data(chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  bytes(): Buffer {
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
  }

  /** The parsed body; undefined when it is not JSON, or beyond the bounds of `device-json.ts`. */
  json(): unknown {
    return deviceJson(this.bytes());
  }
}

/** Why a body cannot be read as JSON; null when it can. */
export function jsonProblem(bytes: Buffer): string | null {
  try {
    readDeviceJson(bytes);
    return null;
  } catch (error) {
    return (error as UnreadableJson).message;
  }
}

/** The complete answer of a call, for callers that wait for a promise. */
export class CollectedAnswer extends Collector {
  /** Settles when the call is over. */
  readonly done: Promise<void>;
  end!: () => void;
  fail!: (error: AppError) => void;

  constructor() {
    super();
    this.done = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }
}
