import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../src/device-api/contract.js';
import { SimulatorProcess } from '../support/devices/simulator-process.js';
import { itInFull, sizeOf } from '../support/forms.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

/*
 * Three processes of one machine, with the embedded database and no Redis: what holds for one process holds for them
 * together, and each of them may be killed.
 */

const TOKEN = 'setup-token-of-a-gateway-with-processes';
const DEVICES = 12;
/** How long the device takes for a write. */
const WRITE_MS = 200;

const KILLS = sizeOf({ short: 1, long: 6, nightly: 20 });
/** From one call to the next of a caller beside the kills: without a pause they slow the new processes down. */
const PAUSE_MS = 20;

let folder: string;
let simulator: SimulatorProcess;
let gateway: GatewayProcess;
let key = '';
let ids: string[];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A request on a connection of its own: the next one meets the next process. @returns when its answer begins */
async function begin(method: string, url: string, body?: unknown, as = key): Promise<IncomingMessage> {
  const headers = { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' };
  const sent = request(gateway.url + url, {
    method,
    agent: new Agent({ keepAlive: false }),
    headers: { ...(body === undefined ? {} : headers), ...(as === '' ? {} : { authorization: `Bearer ${as}` }) },
  });
  sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer.setEncoding('utf8');
}

async function ask(...what: Parameters<typeof begin>): Promise<Answer> {
  const answer = await begin(...what);
  let text = '';
  for await (const piece of answer) text += piece as string;
  return { status: answer.statusCode!, text };
}
const read = async <Body>(url: string): Promise<Body> => JSON.parse((await ask('GET', url)).text) as Body;

/** The processes that work now. */
const pids = (role: 'api' | 'worker') => gateway.workingChildren(role);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-processes-'));
  await chmod(folder, 0o711); // as root the embedded database runs as another user
  simulator = await SimulatorProcess.start('--devices', String(DEVICES), '--profile', 'rutos', '--time-scale', '600');
  gateway = await GatewayProcess.start({
    PROCESSES: '3',
    DATA_DIR: path.join(folder, 'data'),
    DEVICE_ALLOW_LOOPBACK: 'true',
    STATUS_EVERY_SECONDS: '0',
    FLEETGATE_SETUP_TOKEN: TOKEN,
    LOGIN_TRIES: '3',
  });
  const setup = await ask('POST', '/v1/setup', { token: TOKEN, operatorName: 'Ada' });
  key = (JSON.parse(setup.text) as { apiKey: { key: string } }).apiKey.key;
  await ask('POST', '/v1/devices/import', await simulator.csv());
  ids = (await read<{ items: { id: string }[] }>('/v1/devices')).items.map(({ id }) => id);
});
afterAll(async () => {
  await gateway?.stop();
  await simulator?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** It may have ended already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const status = (id: string) => ask('GET', `/v1/devices/${id}${PATHS.systemStatus}`);
const jobOf = async (id: string) => read<{ phase: string; outcome: string | null }>(`/v1/jobs/${id}`);

describe('processes of one machine', () => {
  it('are all told of, and counted at one address', async () => {
    const roles = async () =>
      (await read<{ processes: { role: string }[] }>('/v1/system')).processes.map(({ role }) => role);
    await until(async () => (await roles()).length === 3); // each writes its row in its first seconds
    expect((await roles()).sort()).toEqual(['api', 'api', 'worker']);
    const before = await requestsCounted();
    for (let calls = 0; calls < 10; calls++) await ask('GET', '/v1/devices?limit=1');
    expect((await requestsCounted()) - before).toBe(10);
    const metrics = (await ask('GET', '/metrics')).text;
    expect(metrics.match(/^process_start_time_seconds\{process="(worker|api) \d"\} /gm)).toHaveLength(3);
    expect(metrics.match(new RegExp(`^fleetgate_devices\\{state="[a-z_]+"\\} ${DEVICES}$`, 'gm'))).toHaveLength(1);
    expect(metrics).toMatch(/^fleetgate_sweeps_total\{sweeper="rollouts",.*process="worker 1"\}/m);
  });

  it('share one login for each device, with jobs too', async () => {
    const calls = ids.flatMap((id) => Array.from({ length: 8 }, () => status(id)));
    expect((await Promise.all(calls)).map(({ status: code }) => code)).toEqual(calls.map(() => 200));
    const started = ids.map((id) => ask('POST', `/v1/devices/${id}/jobs`, { kind: 'backup', spec: {} }));
    const jobs = (await Promise.all(started)).map(({ text }) => (JSON.parse(text) as { id: string }).id);
    for (const id of jobs) await until(async () => (await jobOf(id)).phase === 'ended');
    for (const id of jobs) expect(await jobOf(id)).toMatchObject({ outcome: 'succeeded' });
    const summaries = await simulator.summaries();
    expect(summaries.map(({ logins }) => logins)).toEqual(ids.map(() => 1));
    expect(summaries.map(({ openSessions }) => openSessions)).toEqual(ids.map(() => 1));
  });

  it('send one write at a time to a device', async () => {
    const path = '/api/tags/config/1'; // an answer of an error is an answer, too
    await simulator.fault('all', { kind: 'latency', path, method: 'PUT', ms: WRITE_MS });
    const writes = Array.from({ length: 6 }, () => ask('PUT', `/v1/devices/${ids[0]}${path}`, { data: { name: 'x' } }));
    for (const { text } of await Promise.all(writes)) expect(text).toContain('success');
    const at = (await simulator.ledger('method=PUT')).map((line) => line.at);
    expect(at).toHaveLength(6);
    for (const [index, ms] of at.slice(1).entries()) expect(ms - at[index]!).toBeGreaterThanOrEqual(WRITE_MS);
  });

  it('limit the open fan-outs of a person together', async () => {
    await simulator.fault(1, { kind: 'hang', path: '/api/hanging' });
    const policy = { timeoutMs: 120_000 }; // one that ends gives its place away
    const body = { selector: 'all', request: { method: 'GET', path: '/api/hanging' }, policy, stream: true };
    const answers = await Promise.all(Array.from({ length: 24 }, () => begin('POST', '/v1/fan-outs', body)));
    const codes = answers.map(({ statusCode }) => statusCode);
    for (const answer of answers) answer.on('error', () => undefined).destroy();
    expect(codes.filter((code) => code === 200)).toHaveLength(16);
    expect(codes.filter((code) => code === 429)).toHaveLength(8);
  });

  it('reset a device together: the next call logs in again', async () => {
    for (let calls = 0; calls < 6; calls++) await status(ids[2]!);
    const counted = async () => {
      const all = await simulator.summaries();
      const sum = (of: 'logins' | 'openSessions') => all.reduce((total, device) => total + device[of], 0);
      return { logins: sum('logins'), openSessions: sum('openSessions') };
    };
    const before = await counted();
    await ask('POST', `/v1/devices/${ids[2]}/session/reset`);
    await until(async () => (await counted()).openSessions === before.openSessions - 1);
    await Promise.all(Array.from({ length: 6 }, () => status(ids[2]!)));
    expect(await counted()).toEqual({ logins: before.logins + 1, openSessions: before.openSessions });
  });

  it('limit guesses of a password together', async () => {
    const guess = () => ask('POST', '/v1/login', { name: 'Ada', password: 'a wrong password' }, '');
    const codes = [];
    for (let guesses = 0; guesses < 5; guesses++) codes.push((await guess()).status);
    expect(codes).toEqual([401, 401, 401, 429, 429]);
  });

  it('limit the calls of a key together', async () => {
    const made = await ask('POST', '/v1/self/api-keys', { name: 'slow', callsPerMinute: 12 });
    const slow = (JSON.parse(made.text) as { key: string }).key;
    let answered = 0;
    while ((await ask('GET', '/v1/devices?limit=1', undefined, slow)).status === 200) answered += 1;
    // One comes in every five seconds; each process by itself would answer 12.
    expect(answered).toBeGreaterThanOrEqual(12);
    expect(answered).toBeLessThan(24);
  });
});

describe('a process that is killed', () => {
  it('is replaced, fails no call of the others, and the worker answers while no other process does', async () => {
    const failures: string[] = [];
    const over = new AbortController();
    const caller = async () => {
      while (!over.signal.aborted) {
        const { status: code, text } = await status(ids[0]!).catch((error: unknown) => ({
          status: 0,
          text: String(error),
        }));
        if (code !== 200) failures.push(`${code} ${text}`);
        await pause(PAUSE_MS);
      }
    };
    const callers = [caller(), caller()];
    for (let kill = 0; kill < KILLS; kill++) {
      const [pid] = kill % 2 === 0 ? pids('worker') : pids('api');
      process.kill(pid!, 'SIGKILL');
      await until(() => pids('worker').length === 1 && pids('api').length === 2 && !pids('api').includes(pid!));
    }
    over.abort();
    await Promise.all(callers);
    // A connection that the killed process had at that moment is lost with it.
    expect(failures.length).toBeLessThanOrEqual(2 * KILLS);
    expect(failures.filter((failure) => !/ECONNRESET|socket hang up/.test(failure))).toEqual([]);

    // On a busy machine a new process may answer before the worker does: then it ends, too, and the pause before the next is longer.
    await until(async () => {
      for (const pid of pids('api')) kill(pid);
      const answers = await Promise.all([ask('GET', '/health/live'), status(ids[1]!)]).catch(() => []);
      return answers.length > 0 && answers.every((answer) => answer.status === 200) && pids('api').length === 0;
    });
    await until(() => pids('api').length === 2);
    expect((await status(ids[1]!)).status).toBe(200);
  });

  itInFull('ends no job: another process goes on with it', async () => {
    const started = ids.map((id) => ask('POST', `/v1/devices/${id}/jobs`, { kind: 'reboot', spec: {} }));
    const jobs = (await Promise.all(started)).map(({ text }) => (JSON.parse(text) as { id: string }).id);
    process.kill(pids('worker')[0]!, 'SIGKILL');
    for (const id of jobs) await until(async () => (await jobOf(id)).phase === 'ended');
    for (const id of jobs) expect(await jobOf(id)).toMatchObject({ outcome: 'succeeded' });
    const summaries = await simulator.summaries();
    expect(summaries.map(({ effects }) => effects['reboot'])).toEqual(ids.map(() => 1));
  });
});

async function requestsCounted(): Promise<number> {
  const { text } = await ask('GET', '/metrics');
  const counts = text.matchAll(
    /^fleetgate_http_request_seconds_count\{method="GET",route="\/v1\/devices",status="200",process="api \d"\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
