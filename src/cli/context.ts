import { type Readable } from 'node:stream';
import { type ApiClient } from '../api-client/api-client.js';
import { type RawRequest } from '../api-client/operation-types.js';
import { type OutputOptions } from './output/formats.js';
import { type GatewayProfile } from './input/profiles.js';
import { type Row } from './output/cells.js';
import { type ExitCode } from './exit-codes.js';

export interface TextSink {
  write(chunk: string | Uint8Array): unknown;
}

export interface Terminal {
  readonly stdin: Readable;
  /** To people alone. */
  readonly stderr: TextSink;
  /** Whether a question may be asked: standard input is a terminal, and `--no-input` is not given. */
  readonly mayAsk: boolean;
  /** Whether standard error is a terminal, for progress. */
  readonly isTerminal: boolean;
  /** Of that terminal; 80 when it does not say. */
  readonly columns: number;
}

/** The flags of every command that calls the gateway. */
export interface GlobalFlags {
  readonly profile?: string;
  readonly url?: string;
  readonly output?: OutputOptions['format'];
  readonly utc?: boolean;
  readonly fields?: string;
  readonly input?: boolean;
  readonly yes?: boolean;
  readonly confirm?: string;
  readonly reason?: string;
  readonly approval?: string;
  readonly dryRun?: boolean;
  readonly timeout?: number;
}

export interface SendRequest extends Pick<RawRequest, 'json' | 'content' | 'headers'> {
  /** The gateway carries it out once: it may be sent again after a lost connection. */
  readonly once?: boolean;
  /** The operation needs no key. */
  readonly anonymous?: boolean;
  /** An error that is no problem document is an answer, too: that of a device, or of a gateway that is not ready. */
  readonly takesErrors?: boolean;
}

/** What commands get: the gateway, where to write, and whom to ask. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags: GlobalFlags;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** The gateway of the profile; made when a command asks for it, since some need none. @throws CommandFailure without a key */
  api(): Promise<ApiClient>;
  /**
   * Sends a request to the gateway of the profile, with `--reason`; Ctrl-C ends it.
   * @throws ApiError, ConnectionError
   */
  send(method: string, path: string, request?: SendRequest): Promise<Response>;
  /** A client for an address and a key that are not stored. */
  client(url: string, key?: string): ApiClient;
  /** Where the gateway is and the key for it: by flag, environment or profile, in this order. */
  gateway(): Promise<GatewayProfile>;
  /** Whether the output is a table of the command's own columns, which people read. */
  readonly isForPeople: boolean;
  /** Lines of the terminal that standard output is; null when it is none, or when the format is not one for people. */
  readonly screenLines: number | null;
  /** Draws rows over what the terminal shows, and a line below them. */
  redraw(rows: readonly Row[], columns: readonly string[], note: string): Promise<void>;
  /** Writes rows or one object to standard output, in the format that was asked for. */
  rows(rows: AsyncIterable<Row>, columns: readonly string[], live?: boolean): Promise<number>;
  object(value: Row): Promise<void>;
  bytes(body: ReadableStream<Uint8Array>): Promise<void>;
  /** A line to people or programs. */
  out(text: string): void;
  /** A line to people alone. */
  say(text: string): void;
  /** Ends with this code after the output; the first one that is not 0 stays. */
  endWith(code: ExitCode): void;
}
