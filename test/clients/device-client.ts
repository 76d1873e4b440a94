import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { type FileName, type Flow, type PublicClient, type Step } from './flow.js';
import { problemOf } from './fields.js';

/*
 * Runs the flows of a public client against one address. It behaves as those clients do: one login, the token in each
 * request, and a new login when the token is dead.
 */

/** Where a client finds the device, and with what it logs in. */
export interface Address {
  readonly base: string;
  /** The name of the device's own host, where that differs from `base`. */
  readonly host?: string;
  readonly username: string;
  readonly password: string;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Bytes for uploads. */
export type Files = Readonly<Record<Exclude<FileName, 'downloaded'>, Buffer>>;

const [POLLS, POLL_MS] = [100, 20];

const BOUNDARY = '------------------------7f1e2c9a5b3d8e60';

export class DeviceClient {
  private token: string | null = null;
  private downloaded: Buffer = Buffer.alloc(0);
  private readonly agent: http.Agent;
  private readonly transport: typeof http | typeof https;

  constructor(
    private readonly client: PublicClient,
    private readonly address: Address,
    private readonly files: Files,
  ) {
    const isTls = address.base.startsWith('https:');
    this.transport = isTls ? https : http;
    this.agent = isTls
      ? new https.Agent({ keepAlive: true, rejectUnauthorized: false })
      : new http.Agent({ keepAlive: true });
  }

  /** @returns what went wrong, by the name of the flow */
  async run(): Promise<Record<string, string>> {
    const failures: Record<string, string> = {};
    for (const flow of this.client.flows) {
      const failure = await this.runFlow(flow).catch((error: Error) => error.message);
      if (failure !== null) failures[flow.name] = failure;
    }
    this.agent.destroy();
    return failures;
  }

  private async runFlow({ steps, cleanUp = [] }: Flow): Promise<string | null> {
    const { username, password } = this.address;
    const saved: Record<string, string> = { username, password };
    try {
      return await this.runSteps(steps, saved);
    } finally {
      for (const step of cleanUp) if (isFilled(step, saved)) await this.send(step, saved);
    }
  }

  private async runSteps(steps: readonly Step[], saved: Record<string, string>): Promise<string | null> {
    for (const step of steps) {
      const { answer, problem } = await this.poll(step, saved);
      if (problem !== null) return `${step.send}: ${problem}`;
      for (const [name, path] of Object.entries(step.save ?? {})) {
        const value = valueAt(answer.json, path);
        if (value !== undefined) saved[name] = typeof value === 'string' ? value : JSON.stringify(value);
      }
      const removed = step.send.startsWith('DELETE ') ? namesIn(step).at(-1) : undefined;
      if (removed !== undefined) delete saved[removed];
    }
    return null;
  }

  /** Sends a request, again and again where the client waits for what the answer must have. */
  private async poll(step: Step, saved: Readonly<Record<string, string>>) {
    for (let left = step.polls ? POLLS : 1; ; left--) {
      const answer = await this.send(step, saved);
      const problem = problemOf(answer, step, this.client.accepts);
      if (problem === null || left === 1) return { answer, problem };
      await setTimeout(POLL_MS);
    }
  }

  private async send(step: Step, saved: Readonly<Record<string, string>>): Promise<Answer> {
    if (step.open) {
      const answer = await this.request(step, saved, null);
      const token = step.send === 'POST /api/login' ? valueAt(answer.json, 'data.token') : undefined;
      if (typeof token === 'string') this.token = token;
      return answer;
    }
    this.token ??= await this.login();
    const answer = await this.request(step, saved, this.token);
    if (step.send === 'POST /api/logout') this.token = null;
    if (answer.status !== 401 || step.status === 401) return answer;
    this.token = null;
    if (!this.client.renews) return answer;
    this.token = await this.login();
    return this.request(step, saved, this.token);
  }

  private async login(): Promise<string> {
    const account = { username: this.address.username, password: this.address.password };
    const json = this.client.login === 'top' ? account : { data: account };
    const { json: answer } = await this.request({ send: 'POST /api/login', json }, {}, null);
    return String(valueAt(answer, 'data.token'));
  }

  private request(step: Step, saved: Readonly<Record<string, string>>, token: string | null): Promise<Answer> {
    const [method, path] = filled(step.send, saved).split(' ', 2) as [string, string];
    const { body, type } = this.bodyOf(step, saved);
    const headers = {
      ...(this.address.host === undefined ? {} : { host: this.address.host }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(type === null ? {} : { 'content-type': type }),
      ...(body === null ? {} : { 'content-length': String(body.length) }),
      ...this.client.headers,
      ...step.headers,
    };
    return new Promise((resolve, reject) => {
      const request = this.transport.request(
        this.address.base + path,
        { method, headers, agent: this.agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(chunks);
            const json = parsed(bytes);
            if (json === undefined) this.downloaded = bytes;
            resolve({ status: response.statusCode ?? 0, json });
          });
        },
      );
      request.on('error', reject);
      request.end(body ?? undefined);
    });
  }

  private bodyOf(
    { data, json, form, file, fields }: Step,
    saved: Readonly<Record<string, string>>,
  ): { body: Buffer | null; type: string | null } {
    if (file !== undefined) {
      return { body: multipart(file, file === 'downloaded' ? this.downloaded : this.files[file], fields ?? {}), type: `multipart/form-data; boundary=${BOUNDARY}` };
    }
    if (form !== undefined) {
      return { body: Buffer.from(new URLSearchParams(form).toString()), type: 'application/x-www-form-urlencoded' };
    }
    const value = data === undefined ? json : { data };
    if (value === undefined) return { body: null, type: null };
    return { body: Buffer.from(filled(JSON.stringify(value), saved)), type: 'application/json' };
  } // prettier-ignore
}

/** The value at a path such as `data.id` or `data.0.id`. */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value);
}

const filled = (text: string, saved: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name: string) => saved[name] ?? all);

const namesIn = (step: Step): string[] => [...JSON.stringify(step).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Whether all names in its address have a value. */
const isFilled = ({ send }: Step, saved: Readonly<Record<string, string>>): boolean =>
  !/\{\w+\}/.test(filled(send, saved));

function multipart(name: string, file: Buffer, fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join('') + head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
