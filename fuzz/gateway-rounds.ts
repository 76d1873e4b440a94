import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../src/api-client/api-client.js';
import { TestApi } from '../test/support/test-api.js';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { type Random } from '../src/simulator/device/random.js';
import { AnsweringDevice } from '../test/support/devices/answering-device.js';
import { pickOf, SHAPES } from './hostile-bodies.js';

/*
 * Hostile answers through a running gateway: a fan-out, a read and a write of a caller who may not read secrets, and one
 * by an administrator. Every device has its line, no request gets an internal error of the gateway, and its event loop
 * continues.
 */

const PROGRAM = fileURLToPath(new URL('gateway.js', import.meta.url));
const SETUP_TOKEN = 'setup-token-of-a-fuzz-run';
const DEVICES = 6;
const PATH = '/api/some/service/global';
const LARGEST = 1024 * 1024;

/** A round that held up the event loop is taken again: a collection of garbage may have met it. */
const TRIES = 3;

export interface RoundsRun {
  readonly rounds: number;
  /** No round begins after so long. */
  readonly withinMs: number;
  readonly maxDelayMs: number;
  readonly random: Random;
  readonly say: (line: string) => void;
}

/** @returns what was broken */
export async function runRounds(run: RoundsRun): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-fuzz-'));
  await chmod(folder, 0o711); // the database runs as another user when this runs as root
  const database = await startEmbeddedPostgres({ root: path.join(folder, 'postgres') });
  const child = fork(PROGRAM, [], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      DATA_DIR: path.join(folder, 'gateway'),
      PORT: '0',
      LOG_LEVEL: 'silent',
      DEVICE_ALLOW_LOOPBACK: 'true',
      FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
      STATUS_EVERY_SECONDS: '0',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const devices = Array.from({ length: DEVICES }, () => new AnsweringDevice());
  try {
    const { url } = await said<{ url: string }>(child);
    return await new Rounds(run, url, child, devices).run();
  } finally {
    for (const device of devices) device.close();
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function said<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const options = { signal: over.signal }; // listeners that wait no more are removed
  const ended = once(child, 'exit', options).then(() => {
    throw new Error('The gateway ended');
  });
  try {
    return ((await Promise.race([once(child, 'message', options), ended])) as [Message])[0];
  } finally {
    over.abort();
  }
}

class Rounds {
  private readonly broken: string[] = [];
  private worstMs = 0;
  private sent = 0;
  private keys = { administrator: '', operator: '' };
  private id = '';

  constructor(
    private readonly given: RoundsRun,
    private readonly url: string,
    private readonly child: ChildProcess,
    private readonly devices: readonly AnsweringDevice[],
  ) {}

  async run(): Promise<string[]> {
    await this.setUp();
    const startedAt = Date.now();
    let rounds = 0;
    while (rounds < this.given.rounds && Date.now() - startedAt < this.given.withinMs) {
      await this.round();
      rounds++;
    }
    this.given.say(
      `gateway: ${rounds} rounds, ${this.sent} requests, ${this.devices.length} devices; event loop late by ${this.worstMs.toFixed(0)} ms at most`,
    );
    return this.broken;
  }

  private async setUp(): Promise<void> {
    const open = new TestApi({ url: this.url });
    const setup = { token: SETUP_TOKEN, operatorName: 'Ada' };
    const { apiKey } = await open.post<{ apiKey: { key: string } }>('/v1/setup', setup);
    const api = new TestApi({ url: this.url, key: apiKey.key });
    const { id } = await api.post<{ id: string }>('/v1/operators', { name: 'Bo', role: 'operator' });
    const { key } = await api.post<{ key: string }>('/v1/api-keys', { operatorId: id, name: 'fuzz' });
    this.keys = { administrator: apiKey.key, operator: key };
    for (const [index, device] of this.devices.entries()) {
      const known = await device.register(api, `d-${index}`, ['f']);
      if (index === 0) this.id = known;
    }
    await this.delay();
  }

  private async round(): Promise<void> {
    const { random } = this.given;
    const pick = pickOf(random);
    const shapes = this.devices.map((device) => {
      const shape = pick(SHAPES);
      const size = Math.floor(64 * (LARGEST / 64) ** random.next());
      device.answer = shape.make(size, pick);
      device.status = pick([200, 200, 200, 422, 500]);
      return `${shape.name} of ${device.answer.length} bytes, status ${device.status}`;
    });
    let lateMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && lateMs > this.given.maxDelayMs; tries++) {
      await this.requests(shapes);
      lateMs = Math.min(lateMs, await this.delay());
    }
    this.worstMs = Math.max(this.worstMs, lateMs);
    if (lateMs > this.given.maxDelayMs)
      this.broken.push(`the event loop was late by ${lateMs.toFixed(0)} ms: ${shapes.join('; ')}`);
  }

  private async requests(shapes: readonly string[]): Promise<void> {
    for (const key of [this.keys.operator, this.keys.administrator]) {
      for (const method of ['GET', 'PUT']) {
        const json = method === 'GET' ? {} : { json: { data: { a: 'b' } } };
        const policy = { bodies: 'all', timeoutMs: 5_000 };
        const { text } = await this.send(key, 'POST', '/v1/fan-out', {
          selector: 'tag:f',
          request: { method, path: PATH, ...json },
          policy,
        });
        const lines = text.trim().split('\n').length;
        if (lines !== this.devices.length + 1) this.broken.push(`a fan-out has ${lines} lines: ${shapes.join('; ')}`);
      }
      const { status } = await this.send(key, 'GET', `/v1/devices/${this.id}${PATH}`);
      const expected = this.devices[0]!.status;
      if (status === 500 && expected !== 500) this.broken.push(`a read was answered with 500: ${shapes[0]}`);
    }
  }

  private async send(
    key: string,
    method: string,
    to: string,
    json?: unknown,
  ): Promise<{ status: number; text: string }> {
    const headers = { 'idempotency-key': `fuzz-key-${++this.sent}` };
    try {
      const answer = await new TestApi({ url: this.url, key }).client.request(method, to, { json, headers });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      return { status: error instanceof ApiError ? error.status : 0, text: '' }; // one that broke off has too few lines
    }
  }

  private async delay(): Promise<number> {
    const answer = said<{ delayMs: number }>(this.child);
    this.child.send('delay');
    return (await answer).delayMs;
  }
}
