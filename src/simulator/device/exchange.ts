/* What passes between the wire and the services: one request as the device understood it, and one answer before it is bytes. */
import type { Readable } from 'node:stream';
import {
  ACTION_CODE_STATUS,
  ERROR_CODES,
  REFUSALS,
  type DeviceError,
  type DeviceErrorCode,
  type Profile,
} from '../../device-api/contract.js';
import type { LedgerEntry } from './ledger.js';
import type { SimulatedSession } from './sessions.js';

/** A file part that arrived, with what its sink made of it. */
export interface ReceivedFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly md5: string;
  readonly sink: UploadSink;
}

/** Takes an upload as it streams in; only the sink stores anything. */
export interface UploadSink {
  write(chunk: Buffer): void;
}

/** Stores the complete file: for small ones such as a certificate or a backup. */
export class KeepingSink implements UploadSink {
  private readonly chunks: Buffer[] = [];

  write(chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

export interface SimulatedRequest {
  readonly method: string;
  /** Without version prefix and trailing slash, with `/api`. */
  readonly path: string;
  /** The version that the path asks for; absent: versions do not differ. */
  readonly version: number | undefined;
  readonly query: URLSearchParams;
  /** What stood for `{name}` in the route's pattern. */
  params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined when there was no body. */
  body: unknown;
  file?: ReceivedFile;
  /** The caller's session; absent on open routes only. */
  session?: SimulatedSession;
  /** Address of the caller, for the lock-out. */
  readonly source: string;
  /** The line of the ledger that this request writes; effects are added to it as they happen. */
  readonly entry: LedgerEntry;
}

export interface SimulatedAnswer {
  readonly status: number;
  /** Sent as JSON unless it is text already. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of `body`. */
  readonly stream?: Readable;
}

export function ok(data: unknown, extra?: Record<string, unknown>): SimulatedAnswer {
  return { status: 200, body: { success: true, data, ...extra } };
}

/** A refusal: any code throws it, and one place makes it into an answer. */
export class DeviceRefusal extends Error {
  constructor(
    readonly code: number,
    readonly detail: { error?: string; source?: string; section?: string; value?: unknown; status?: number } = {},
    /** Every error that the answer lists; usually the one of `code`. */
    readonly errors: readonly DeviceError[] = [DeviceRefusal.error(code, detail)],
  ) {
    super(errors[0]?.error ?? `Error ${code}`);
  }

  /** Several errors in one answer, as devices do for options; the first decides the status. */
  static all(errors: readonly DeviceError[]): DeviceRefusal {
    return new DeviceRefusal(errors[0]!.code, {}, errors);
  }

  /** Clients need `source`, and `value` as text. */
  private static error(
    code: number,
    { status: _status, error, value, source = 'api', ...detail }: DeviceRefusal['detail'],
  ): DeviceError {
    const meaning = code in ERROR_CODES ? ERROR_CODES[code as DeviceErrorCode].meaning : `Action error ${code}`;
    return {
      code,
      error: error ?? meaning,
      source,
      ...detail,
      ...(value === undefined ? {} : { value: refusedText(value) }),
    };
  }

  answer(profile: Profile): SimulatedAnswer {
    const status =
      this.detail.status ??
      (this.code in ERROR_CODES ? ERROR_CODES[this.code as DeviceErrorCode].status[profile] : ACTION_CODE_STATUS);
    return { status, body: { success: false, errors: this.errors } };
  }
}

/** The item with a value. @throws Refused 113 */
export function requireIn<Item>(items: readonly Item[], source: keyof Item & string, value: string): Item {
  const found = items.find((item) => item[source] === value);
  if (!found) throw new DeviceRefusal(113, { source, section: value });
  return found;
}

/** A refused value as devices repeat it. */
export const refusedText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** A refusal whose code or status depends on the profile. */
export function refuse(situation: keyof typeof REFUSALS, profile: Profile, source = 'api'): DeviceRefusal {
  const { code, status } = REFUSALS[situation][profile];
  return new DeviceRefusal(code, { status, source });
}
