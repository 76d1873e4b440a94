import { PassThrough, Writable } from 'node:stream';
import { run } from '../../../src/cli/program.js';

/* An assistant: `fleetgate mcp` in this process, with a message of JSON-RPC in each line. */

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolListing {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean };
}

export class McpSession {
  private readonly stdin = new PassThrough();
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly ended: Promise<number>;
  private count = 0;
  private text = '';

  private constructor(environment: Readonly<Record<string, string>>) {
    const stdout = new Writable({ decodeStrings: false, write: (chunk: string, _e, done) => done(this.take(chunk)) });
    const stderr = new Writable({ write: (_chunk, _e, done) => done() });
    const interrupted = new AbortController().signal;
    this.ended = run(['mcp'], { stdin: this.stdin, stdout, stderr, environment, interrupted });
  }

  static async open(environment: Readonly<Record<string, string>>): Promise<McpSession> {
    const session = new McpSession(environment);
    const clientInfo = { name: 'test', version: '1' };
    await session.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    session.send({ method: 'notifications/initialized' });
    return session;
  }

  /** @throws what the server answers as an error */
  async request(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.count;
    const answered = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const answer = await answered;
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  async call(name: string, given: object = {}): Promise<ToolAnswer> {
    const answer = (await this.request('tools/call', { name, arguments: given })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    return { text: answer.content[0]!.text, isError: answer.isError === true };
  }

  async tools(): Promise<ToolListing[]> {
    return ((await this.request('tools/list')) as { tools: ToolListing[] }).tools;
  }

  /** Ends standard input, as an assistant does. @returns the exit code */
  close(): Promise<number> {
    this.stdin.end();
    return this.ended;
  }

  private send(message: object): void {
    this.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private take(chunk: string): null {
    this.text += chunk;
    const lines = this.text.split('\n');
    this.text = lines.pop()!;
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      this.waiting.get(answer.id ?? 0)?.(answer);
    }
    return null;
  }
}
