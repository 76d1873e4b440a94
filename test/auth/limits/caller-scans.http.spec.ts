import { request as requestHttp, type Server } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CallerScans, scanLimits } from '../../../src/auth/limits/caller-scans.js';
import { casesOf } from '../../support/forms.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson, type Person } from '../../support/people.js';
import { until } from '../../support/until.js';

/*
 * One caller sends more slow scans than the pool has connections. A version in their role is compared by a function that the
 * test has replaced: it waits for a lock that the test holds.
 */

const POOL_SIZE = 8;
const { perKey, waitingPerKey } = scanLimits(POOL_SIZE);
const EXCESS = 5;

const GATE = 4_711;
const BLOCKING = `
  create or replace function firmware_version(name text) returns integer[] language plpgsql immutable as $$
  begin
    perform pg_advisory_xact_lock_shared(${GATE});
    return array[7];
  end $$`;

const request = { method: 'GET', path: '/api/system/device/status' };

type Scan = readonly [method: string, path: string, body?: object];

/** It counts as an event stream, of which a caller has fewer than reads that wait. */
const FAN_OUT: Scan = ['POST', '/v1/fan-out', { selector: 'all', request, dryRun: true }];

/** A rollout as it is previewed, and as the test makes one. */
const rollout = { name: 'all of them', kind: 'backup', selector: 'all', policy: {} };

const SCANS: readonly Scan[] = [
  ['POST', '/v1/devices/preview', { selector: 'name:*x*|all', permission: 'device.read' }],
  ['GET', '/v1/devices'],
  ['GET', '/v1/devices?count=exact'],
  ['GET', '/v1/devices?count=estimate&q=router'],
  ['GET', '/v1/devices?selector=name:*r*'],
  ['GET', '/v1/devices?sort=-name'],
  ['GET', '/v1/devices/summary?by=model'],
  ['GET', '/v1/devices/summary?by=site,tag,firmware'],
  ['GET', '/v1/backups/coverage'],
  ['GET', '/v1/audit?selector=all'],
  ['POST', '/v1/fan-outs', { selector: 'all', request }],
  ['POST', '/v1/devices/tags', { selector: 'all', add: ['t'], dryRun: true }],
  ['POST', '/v1/devices/delete', { selector: 'all', dryRun: true }],
  ['GET', '/v1/devices/availability?hours=24'],
  ['POST', '/v1/rollouts', { ...rollout, dryRun: true }],
  ['GET', '/v1/rollouts'],
];

/** They read on after their handler has ended, a turn for each part. `ROLLOUT` is the id of a rollout. */
const PAGED: readonly string[] = [
  '/v1/devices/export?selector=all',
  '/v1/devices/export?selector=all&format=ndjson',
  '/v1/devices/export?selector=name:router-*',
  '/v1/rollouts/ROLLOUT/report?format=csv',
  '/v1/rollouts/ROLLOUT/live',
];
/** Fewer than the event streams of an operator, more than can read at once. */
const LEAVING = 10;

/** Reads of one thing. `JOB` is the id of a job. */
const POLLS: readonly string[] = [
  '/v1/devices/name:router-1',
  '/v1/devices/name:router-1/history',
  '/v1/devices/name:router-1/session',
  '/v1/jobs/JOB',
  '/v1/self',
  '/v1/self/api-keys',
  '/v1/self/sessions',
  '/v1/devices/name:router-2',
  '/v1/fields',
  '/v1/rights/explain?action=device.read&device=name:router-1',
];
const POLLS_AT_ONCE = 60;

const named = (scans: readonly Scan[]) => scans.map((scan) => ({ name: `${scan[0]} ${scan[1]}`, scan }));

let world: TestGateway;
let db: pg.Client;
let greedy: Person;
let rolloutId: string;
let open: Promise<unknown>[] = [];

beforeAll(async () => {
  world = await startTestGateway({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  for (const number of [1, 2]) {
    const credentials = { username: 'admin', password: 'a quiet password' };
    await world.api.post('/v1/devices', {
      name: `router-${number}`,
      baseUrl: `https://127.0.0.1:${number}`,
      credentials,
    });
  }
  // A state, as the availability leaves out devices that were never checked.
  await db.query(`update device set firmware = 'RUTX_R_00.07.01.1', state = 'offline'`);
  await db.query(BLOCKING);
  // A rollout is no device, so a right to it has no selector.
  await world.api.send('PUT', '/v1/roles/planner', { rules: [{ effect: 'allow', permissions: ['rollout.*'] }] });
  greedy = await addPerson(world, 'Greta', [{ role: 'operator', selector: 'firmware<7.14' }, { role: 'planner' }]);
  ({ id: rolloutId } = await world.api.post<{ id: string }>('/v1/rollouts', rollout));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await db.query('select pg_advisory_unlock_all()');
  await Promise.all(open);
  open = [];
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const hold = () => db.query('select pg_advisory_lock($1)', [GATE]);

const waitingInDatabase = async () => {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
  );
  return rows[0]!.count;
};

const stopStatements = () =>
  db.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
  );

/** A worker has the job. */
const untilLeased = (jobId: string) =>
  until(async () => {
    const { rows } = await db.query<{ epoch: number }>('select epoch::int as epoch from job where id = $1', [jobId]);
    return rows[0]!.epoch > 0;
  });

const storedFanOuts = async () => (await db.query('select from fan_out')).rowCount;

/** Open connections to the gateway. */
const connections = () =>
  new Promise<number>((resolve, reject) => {
    const server: Server = world.gateway.app.getHttpServer();
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const ask = (path: string, signal: AbortSignal | null = null) =>
  fetch(world.url + path.replace('ROLLOUT', rolloutId), { headers: { authorization: `Bearer ${greedy.key}` }, signal });

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

/** Sends requests of one caller at the same moment. @param leaving ends them @returns the answers so far */
function flood(count: number, [method, path, body]: Scan, leaving: AbortSignal | null = null): Answer[] {
  const answers: Answer[] = [];
  const init = {
    method,
    headers: { authorization: `Bearer ${greedy.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    signal: leaving,
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
  for (let sent = 0; sent < count; sent++) {
    const answered = fetch(world.url + path, init).then(async (answer) => {
      const text = await answer.text();
      const code = answer.ok ? undefined : (JSON.parse(text) as { code: string }).code;
      answers.push({ status: answer.status, code, retryAfter: answer.headers.get('retry-after') });
    });
    open.push(leaving ? answered.catch(() => undefined) : answered);
  }
  return answers;
}

describe('a caller with more slow scans than the database has connections', () => {
  it.each(named(casesOf(SCANS, 4)))('leaves connections to others: $name', async ({ scan }) => {
    await hold();
    const answers = flood(perKey + waitingPerKey + EXCESS, scan);
    await until(() => answers.length >= EXCESS);
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['429 too_many_scans']));
    expect(answers[0]!.retryAfter).toBe('2');
    await until(async () => (await waitingInDatabase()) === perKey);
    await expect(world.api.get('/v1/self')).resolves.toMatchObject({ name: 'Ada' });
    await expect(world.api.get('/v1/devices')).resolves.toMatchObject({ items: [{}, {}] });
    expect(await (await fetch(`${world.url}/health/ready`)).json()).toMatchObject({ checks: { database: 'ok' } });
    expect(await waitingInDatabase()).toBe(perKey);
  });

  it('gets no more connections by more keys', async () => {
    await hold();
    const first = flood(perKey, SCANS[1]!);
    const { key } = await world.api.post<{ key: string }>('/v1/api-keys', {
      operatorId: greedy.operatorId,
      name: 'second',
    });
    const second = fetch(`${world.url}/v1/devices`, { headers: { authorization: `Bearer ${key}` } });
    open.push(second);
    await until(async () => (await waitingInDatabase()) === perKey);
    await world.api.get('/v1/devices');
    expect([first.length, await waitingInDatabase()]).toEqual([0, perKey]);
  });

  it('delays no job', async () => {
    await hold();
    flood(perKey + waitingPerKey, SCANS[0]!);
    await until(async () => (await waitingInDatabase()) === perKey);
    const { id } = await world.api.post<{ id: string }>('/v1/devices/name:router-1/jobs', { kind: 'reboot', spec: {} });
    await untilLeased(id);
    expect(await waitingInDatabase()).toBe(perKey);
    await world.api.post(`/v1/jobs/${id}/cancel`);
  });

  it('reads an export page by page in turn', async () => {
    await hold();
    flood(POOL_SIZE, ['GET', '/v1/devices/export?selector=all']);
    await until(async () => (await waitingInDatabase()) === perKey);
    await world.api.get('/v1/devices');
    expect(await waitingInDatabase()).toBe(perKey);
  });
});

describe('sixty polls of one thing at once, beside scans of the same operator', () => {
  it.each(casesOf(POLLS, 3))('are all answered, and stop nobody else: %s', async (path) => {
    const { id } = await world.api.post<{ id: string }>('/v1/devices/name:router-1/jobs', { kind: 'reboot', spec: {} });
    await hold();
    flood(perKey + EXCESS, SCANS[0]!);
    await until(async () => (await waitingInDatabase()) === perKey);
    const answers = flood(POLLS_AT_ONCE, ['GET', path.replace('JOB', id)]);
    await expect(world.api.get('/v1/self')).resolves.toMatchObject({ name: 'Ada' });
    await expect(world.api.get('/v1/devices')).resolves.toMatchObject({ items: [{}, {}] });
    expect(await (await fetch(`${world.url}/health/ready`)).json()).toMatchObject({ checks: { database: 'ok' } });
    await untilLeased(id);
    await until(() => answers.length === POLLS_AT_ONCE);
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['200 undefined']));
    expect(await waitingInDatabase()).toBe(perKey);
    await world.api.post(`/v1/jobs/${id}/cancel`);
  });
});

describe('a caller that leaves while it waits', () => {
  it('gives up its turn: nothing is done for it', async () => {
    await hold();
    const scans = flood(perKey, SCANS[0]!);
    await until(async () => (await waitingInDatabase()) === perKey);
    const [before, stored] = [await connections(), await storedFanOuts()];
    const leaving = requestHttp(`${world.url}/v1/fan-outs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${greedy.key}`, 'content-type': 'application/json' },
      agent: false,
    });
    leaving.on('error', () => undefined);
    leaving.end(JSON.stringify({ selector: 'all', request }));
    await until(async () => (await connections()) > before);
    leaving.destroy();
    await until(async () => (await connections()) === before);
    await db.query('select pg_advisory_unlock_all()');
    await until(() => scans.length === perKey);
    const later = flood(perKey * 2, SCANS[1]!);
    await until(() => later.length === perKey * 2);
    expect(await storedFanOuts()).toBe(stored);
  });
});

describe('callers that leave while the next part of their answer waits', () => {
  it.each(casesOf(PAGED, 2))('give up their turns: %s', async (path) => {
    await hold();
    const scans = world.gateway.app.get(CallerScans);
    const [turns, pages] = [vi.spyOn(scans, 'inTurn'), vi.spyOn(scans, 'page')];
    // Behind two others, so that all handlers have their turn before the first part.
    flood(perKey, SCANS[1]!);
    await until(async () => (await waitingInDatabase()) === perKey);
    const leaving = new AbortController();
    for (let sent = 0; sent < LEAVING; sent++) open.push(ask(path, leaving.signal).catch(() => undefined));
    await until(() => turns.mock.calls.length === perKey + LEAVING);
    await stopStatements();
    await until(() => pages.mock.calls.length === LEAVING);
    await until(async () => (await waitingInDatabase()) === perKey);
    const others = new AbortController();
    const patient = flood(waitingPerKey - (LEAVING - perKey) + EXCESS, SCANS[1]!, others.signal);
    await until(() => patient.length === EXCESS);
    leaving.abort();
    const hasLeft = ({ type }: { type: string }) => type === 'rejected';
    await until(() => pages.mock.settledResults.filter(hasLeft).length === LEAVING - perKey);
    const more = flood(LEAVING - perKey + EXCESS, SCANS[1]!);
    await until(() => more.length === EXCESS);
    expect(new Set(more.map(({ status }) => status))).toEqual(new Set([429]));
    // A busy machine takes longer for all that wait than a scan may wait.
    others.abort();
    await db.query('select pg_advisory_unlock_all()');
    await until(() => more.length === LEAVING - perKey + EXCESS);
    expect(more.filter(({ status }) => status === 200)).toHaveLength(LEAVING - perKey);
  });
});

describe('a part of an answer that the database stops', () => {
  it.each(casesOf(PAGED, 2))('is told before its first byte, and the gateway goes on: %s', async (path) => {
    await hold();
    const answer = ask(path);
    open.push(answer);
    await until(async () => (await waitingInDatabase()) === 1);
    await stopStatements();
    await expect(answer.then((one) => one.json())).resolves.toMatchObject({ code: 'took_too_long' });
    await expect(world.api.get('/v1/self')).resolves.toMatchObject({ name: 'Ada' });
  });
});

describe('a statement that the database stops', () => {
  it.each(named([...SCANS, FAN_OUT]))('is told with a code of its own: $name', async ({ scan }) => {
    await hold();
    const answers = flood(1, scan);
    await until(async () => (await waitingInDatabase()) === 1);
    await stopStatements();
    await until(() => answers.length === 1);
    expect(answers).toEqual([{ status: 503, code: 'took_too_long', retryAfter: null }]);
  });
});
