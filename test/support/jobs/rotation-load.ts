import { setTimeout as pause } from 'node:timers/promises';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { sizeOf } from '../forms.js';
import { type TestGateway } from '../gateway.js';

/* People at work while keys are replaced: calls that log in with sealed passwords, and new credentials. None may fail. */

export const REACHABLE = 8;
const CALLERS = sizeOf({ short: 4, long: 4, nightly: 6 });

/** Milliseconds that a caller rests after its three requests; without a rest they take the processor from the other processes. */
const REST_MS = sizeOf({ short: 1_000, long: 500, nightly: 0 });

export const PASSWORD = 'Password-under-load-1!';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Keys {
  readonly keys: readonly {
    readonly id: string;
    readonly purpose: string;
    readonly active: boolean;
    readonly values: number;
  }[];
  readonly rotation: { readonly phase: string; readonly done: number; readonly unreadable: unknown[] } | null;
}

/** A fleet of that many devices in the registry, of which some are there and are called. */
export class RotationLoad {
  requests = 0;
  readonly failed: string[] = [];
  private readonly over = new AbortController();
  private callers: Promise<void>[] = [];

  constructor(
    private readonly world: Pick<TestGateway, 'url' | 'keys'>,
    readonly devices: number,
  ) {}

  async ask(
    method: string,
    path: string,
    json?: unknown,
    type = 'application/json',
    url = this.world.url,
  ): Promise<Answer> {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.world.keys.administrator}`,
        ...(json === undefined ? {} : { 'content-type': type }),
      },
      ...(json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async status(): Promise<Keys> {
    return JSON.parse((await this.ask('GET', '/v1/secrets/rotation')).text) as Keys;
  }

  /** Registers the devices. @throws Error with the answer when they are not taken */
  async register(fleet: Fleet): Promise<void> {
    const lines = Array.from({ length: this.devices }, (_, n) =>
      JSON.stringify({
        name: `d${n}`,
        baseUrl: fleet.devices[n]?.baseUrl ?? `https://d${n}.example`,
        credentials: { username: 'admin', password: n < REACHABLE ? PASSWORD : `Password-${n}` },
      }),
    );
    for (let start = 0; start < lines.length; start += 2_000) {
      const file = lines.slice(start, start + 2_000).join('\n');
      const { status, text } = await this.ask('POST', '/v1/devices/import', file, 'application/x-ndjson');
      if (status !== 200) throw new Error(text);
    }
  }

  begin(): void {
    this.callers = Array.from({ length: CALLERS }, (_, index) => this.call(index));
  }

  /** Ends the calls. @returns when all have been answered */
  async end(): Promise<void> {
    this.over.abort();
    await Promise.all(this.callers);
  }

  private async call(index: number): Promise<void> {
    const mine = `/v1/devices/name:d${index % REACHABLE}`;
    for (let round = 0; !this.over.signal.aborted; round++) {
      const other = `/v1/devices/name:d${REACHABLE + ((index + round * CALLERS) % (this.devices - REACHABLE))}`;
      const answers = [
        await this.ask('POST', `${mine}/session/reset`), // the next call opens the password
        await this.ask('GET', `${mine}/api/system/device/status`),
        await this.ask('PUT', `${other}/credentials`, { username: 'admin', password: `New-${index}-${round}` }),
      ];
      this.requests += answers.length;
      this.failed.push(...answers.filter((one) => one.status >= 400).map((one) => `${one.status} ${one.text}`));
      await pause(REST_MS);
    }
  }
}
