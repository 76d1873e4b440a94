import { once } from 'node:events';
import { type Readable } from 'node:stream';
import { ApiClient } from '../api-client/api-client.js';
import { errorOf } from '../api-client/api-error.js';
import { type OpenContext } from './command.js';
import { type Context, type GlobalFlags, type SendRequest, type TextSink } from './context.js';
import { httpFetch } from './http-fetch.js';
import { CommandFailure, EXIT, UsageError, type ExitCode } from './exit-codes.js';
import { readProfiles, requireProfileName, type GatewayProfile } from './input/profiles.js';
import { writeObject, writeRows, type OutputOptions } from './output/formats.js';
import { each, scalarColumns } from './output/rows.js';
import { drawnOver } from './output/screen.js';
import { printable } from './output/text.js';
import { type Row } from './output/cells.js';

/* The surroundings of a command: its streams, its environment, and the code with which it ends. */

interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextSink &
    NodeJS.EventEmitter & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: TextSink & { readonly isTTY?: boolean; readonly columns?: number };
}

export interface Shell extends Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly interrupted: AbortSignal;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_TIMEOUT_S = 60;

/** How commands of this shell get their context, and the code with which they have ended. */
export function openShell(shell: Shell): { readonly open: OpenContext; readonly exitCode: () => ExitCode } {
  let code: ExitCode = EXIT.done;
  const endWith = (ended: ExitCode) => {
    if (code === EXIT.done) code = ended;
  };
  return { open: (flags) => new CommandContext(shell, flags, endWith), exitCode: () => code };
}

class CommandContext implements Context {
  readonly environment = this.shell.environment;
  readonly interrupted = this.shell.interrupted;
  readonly terminal = {
    stdin: this.shell.stdin,
    stderr: this.shell.stderr,
    mayAsk: this.shell.stdin.isTTY === true && this.flags.input !== false,
    isTerminal: this.shell.stderr.isTTY === true,
    columns: this.shell.stderr.columns ?? 80,
  };

  constructor(
    private readonly shell: Shell,
    readonly flags: GlobalFlags,
    readonly endWith: (code: ExitCode) => void,
  ) {}

  async api(): Promise<ApiClient> {
    const { url, key } = await this.gateway();
    if (key === undefined)
      throw new CommandFailure(
        EXIT.notSignedIn,
        'Sign in with fleetgate login, or set FLEETGATE_API_KEY to an API key',
      );
    return this.client(url, key);
  }

  async send(method: string, path: string, request: SendRequest = {}): Promise<Response> {
    const { once, anonymous, takesErrors, headers, ...body } = request;
    const api = anonymous ? this.client((await this.gateway()).url) : await this.api();
    const { reason, approval } = this.flags;
    const sent = api.request(method, path, {
      ...body,
      headers: {
        ...headers,
        ...(once ? { 'idempotency-key': crypto.randomUUID() } : {}),
        ...(reason === undefined ? {} : { 'x-change-reason': reason }),
        ...(approval === undefined ? {} : { 'approval-id': approval }),
      },
      signal: this.interrupted,
    });
    const answer = await sent.catch(async (error: unknown) => {
      const { withNearestDevice } = await import('./nearest-device.js');
      throw await withNearestDevice(error, path, api);
    });
    if (!answer.ok && !takesErrors) throw await errorOf(answer); // of a server on the way
    return answer;
  }

  /** A client for an address and a key that are not stored. @throws UsageError for what is no address of a gateway */
  client(url: string, key?: string): ApiClient {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new UsageError(
        `The address of a gateway is such as https://fleet.example or http://127.0.0.1:8080, not ${url}`,
      );
    const timeoutMs = (this.flags.timeout ?? DEFAULT_TIMEOUT_S) * 1_000;
    return new ApiClient({ url, timeoutMs, fetch: httpFetch, ...(key === undefined ? {} : { key }) });
  }

  /** Where the gateway is, by flag, environment or profile, in this order. */
  async gateway(): Promise<GatewayProfile> {
    const given = (name: string): string | undefined => this.environment[name] || undefined; // empty is not set
    const profiles = await readProfiles(this.environment);
    const wanted = this.flags.profile ?? given('FLEETGATE_PROFILE');
    const name = requireProfileName(wanted ?? profiles.current);
    const profile = Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
    if (wanted !== undefined && !profile) throw new UsageError(`There is no profile ${name}: fleetgate profile list`);
    const url = this.flags.url ?? given('FLEETGATE_URL') ?? profile?.url ?? DEFAULT_URL;
    // The key of a profile goes to the gateway of that profile alone.
    const key = given('FLEETGATE_API_KEY') ?? (profile?.url === url ? profile.key : undefined);
    return { url, ...(key === undefined ? {} : { key }) };
  }

  async rows(rows: AsyncIterable<Row>, columns: readonly string[], live = false): Promise<number> {
    return writeRows(rows, this.outputOptions(columns, live), (text) => this.write(text));
  }

  get isForPeople(): boolean {
    return this.isTable && this.flags.fields === undefined;
  }

  private get isTable(): boolean {
    return ['table', 'wide'].includes(this.flags.output ?? 'table');
  }

  get screenLines(): number | null {
    return this.isTable && this.shell.stdout.isTTY === true ? (this.shell.stdout.rows ?? 24) : null;
  }

  async redraw(rows: readonly Row[], columns: readonly string[], note: string): Promise<void> {
    let text = '';
    const take = async (part: string) => void (text += part);
    await writeRows(each(rows), this.outputOptions(columns, false), take);
    const lines = text.split('\n').slice(0, -1).map(printable);
    this.shell.stdout.write(drawnOver(lines, printable(note), this.screenLines ?? Infinity));
  }

  async object(value: Row): Promise<void> {
    await writeObject(value, this.outputOptions(scalarColumns(value), false), (text) => this.write(text));
  }

  async bytes(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) await this.write(chunk);
  }

  out(text: string): void {
    this.shell.stdout.write(this.shown(`${text}\n`));
  }

  say(text: string): void {
    this.shell.stderr.write(`${printable(text)}\n`);
  }

  private outputOptions(columns: readonly string[], live: boolean): OutputOptions {
    const { output, fields } = this.flags;
    const isTerminal = this.shell.stdout.isTTY === true;
    const chosen = fields?.split(',').map((name) => name.trim());
    return {
      format: output ?? 'table',
      columns: chosen ?? columns,
      live,
      chosen: chosen !== undefined,
      width: isTerminal ? (this.shell.stdout.columns ?? 80) : null,
      now: this.flags.utc ? null : Date.now(),
    };
  }

  /** What a terminal gets, without characters that could move its cursor; a pipe gets everything. */
  private shown(chunk: string | Uint8Array): string | Uint8Array {
    if (this.shell.stdout.isTTY !== true) return chunk;
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    return text.split('\n').map(printable).join('\n');
  }

  /** Waits while the reader is slow, so that a large list takes no memory. */
  private async write(chunk: string | Uint8Array): Promise<void> {
    const { stdout } = this.shell;
    if (stdout.write(this.shown(chunk)) === false) await once(stdout, 'drain');
  }
}
