import { deviceJson, readDeviceJson, type UnreadableJson } from '../../device-api/device-json.js';
import { type AnswerHeaders, type AnswerSink } from '../../device-api/exchange.js';
import { AppError } from '../../platform/errors.js';
import { type Redactor } from '../../secrets/redactor.js';
import { refusalFacts } from './device-errors.js';

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

export interface DeviceAnswer {
  readonly status: number;
  /** The parsed envelope. */
  readonly body: unknown;
}

/**
 * The envelope of a device that did what it was asked for.
 * @throws AppError `device_refused` with the device's own error objects; `device_answer_invalid`
 */
export function envelopeIn(answer: Collector, redactor: Pick<Redactor, 'redacted'>): DeviceAnswer {
  const body = answer.json();
  const { status } = answer;
  const says = (body as { success?: unknown } | null | undefined)?.success;
  if (status >= 400 || says === false)
    throw new AppError('device_refused', redactor.redacted(refusalFacts(status, body)));
  if (status >= 300 || says !== true) {
    const reason = jsonProblem(answer.bytes()) ?? 'it has no envelope of a device';
    throw new AppError('device_answer_invalid', { deviceStatus: status, reason });
  }
  return { status, body };
}

/** Why a body cannot be read as JSON; null when it can. */
function jsonProblem(bytes: Buffer): string | null {
  try {
    readDeviceJson(bytes);
    return null;
  } catch (error) {
    return (error as UnreadableJson).message;
  }
}
