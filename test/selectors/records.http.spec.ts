import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';

/* Selectors about what the gateway has of a device: spare addresses, backups, jobs and locks. */

const HOUR_MS = 3_600_000;

let world: TestGateway;
let db: pg.Pool;
const ids: string[] = [];

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  for (const [index, site] of ['a', 'a', 'b'].entries()) {
    const device = { name: `r-${index}`, baseUrl: `https://127.0.0.1:${index + 1}`, site };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
});
afterEach(() => db.query('truncate artifact, job cascade; delete from lock'));
afterAll(async () => {
  await db.end();
  await world.close();
});

const named = async (selector: string, api: TestApi = world.api) => {
  const query = `fields=name&selector=${encodeURIComponent(selector)}`;
  const { items } = await api.get<{ items: { id: string }[] }>(`/v1/devices?${query}`);
  return items.map(({ id }) => ids.indexOf(id)).sort((one, other) => one - other);
};

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

const addBackup = (index: number, created: number, confirmed: number | null = null) =>
  db.query(
    `insert into artifact (id, sha256, bytes, kind, name, device_id, created_at, confirmed_at)
     values ($1, repeat('ab', 32), 1, 'backup', 'backup', $2, $3, $4)`,
    [randomUUID(), ids[index], ago(created), confirmed === null ? null : ago(confirmed)],
  );

interface JobParts {
  readonly phase?: string;
  readonly outcome?: string;
  readonly begun?: boolean;
  readonly hours?: number;
}

const addJob = (index: number, { phase = 'ended', outcome, begun = true, hours = 1 }: JobParts) =>
  db.query(
    `insert into job (id, device_id, kind, phase, outcome, cursor, wake_at, deadline_at, lease_until, started_by,
                      started_by_name, created_at, started_at, ended_at)
     values ($1, $2, 'reboot', $3, $4, '{}', 'infinity', 'infinity', $5, 'test', 'test', $6, $7, $8)`,
    [
      randomUUID(),
      ids[index],
      phase,
      outcome ?? null,
      phase === 'running' ? 'infinity' : null,
      ago(hours),
      begun ? ago(hours) : null,
      phase === 'ended' ? ago(hours) : null,
    ],
  );

describe('a selector about spare addresses', () => {
  it('names devices without one, with one, and those that are reached by it', async () => {
    const url = "'https://127.0.0.1:' || 10 + array_position($1::uuid[], id)";
    await db.query(`update device set spare_url = ${url}, by_spare = id = $2 where id <> $3`, [ids, ids[1], ids[2]]);
    expect(await named('spare:none')).toEqual([2]);
    expect(await named('spare:stored')).toEqual([0, 1]);
    expect(await named('spare:used')).toEqual([1]);
    expect(await named('spare!=used')).toEqual([0, 2]);
  });
});

describe('a selector about backups', () => {
  it('names devices without one, and those whose latest one is too old', async () => {
    await addBackup(0, 100);
    await addBackup(0, 10);
    await addBackup(1, 100);
    expect(await named('backup:none')).toEqual([2]);
    expect(await named('backup!=none')).toEqual([0, 1]);
    expect(await named('backup>26h')).toEqual([1]);
    expect(await named('backup<26h')).toEqual([0]);
    expect(await named('!backup>26h')).toEqual([0, 2]);
    expect(await named('backup:none | backup > 26h & site:a')).toEqual([1, 2]);
  });

  it('counts a backup from when its configuration was last found on the device', async () => {
    await addBackup(0, 100, 2);
    expect(await named('backup>26h')).toEqual([]);
    expect(await named('backup>=1h & backup<=3h')).toEqual([0]);
  });
});

describe('a selector about jobs', () => {
  it('names devices with a job that has begun and not ended', async () => {
    await addJob(0, { phase: 'running' });
    await addJob(1, { phase: 'queued' }); // waits between two steps
    await addJob(2, { phase: 'queued', begun: false });
    expect(await named('job:running')).toEqual([0, 1]);
    expect(await named('!job:running')).toEqual([2]);
  });

  it('names devices whose latest ended job has failed', async () => {
    await addJob(0, { outcome: 'failed', hours: 2 });
    await addJob(0, { outcome: 'succeeded', hours: 3 });
    await addJob(0, { phase: 'running' });
    await addJob(1, { outcome: 'failed', hours: 3 });
    await addJob(1, { outcome: 'succeeded', hours: 2 });
    await addJob(2, { outcome: 'unknown' });
    expect(await named('job:failed')).toEqual([0]);
    expect(await named('job=failed & job:running')).toEqual([0]);
  });
});

describe('a selector about locks', () => {
  const lock = (kind: string, target?: string) =>
    world.api.post<{ id: string }>('/v1/locks', { kind, target, reason: 'test' });

  it('names devices that a lock names, until it is lifted', async () => {
    expect(await named('lock:any')).toEqual([]);
    expect(await named('!lock:any')).toEqual([0, 1, 2]);
    await lock('device', ids[2]);
    expect(await named('lock:any')).toEqual([2]);
    const { id } = await lock('selector', 'name:r-0');
    expect(await named('lock:any')).toEqual([0, 2]);
    expect(await named('site:a & !lock:any')).toEqual([1]);
    await world.api.send('DELETE', `/v1/locks/${id}`);
    expect(await named('lock:any')).toEqual([2]);
  });

  it('does so inside a saved selector, at the time of each use', async () => {
    await world.api.send('PUT', '/v1/selectors/locked', { selector: 'lock:any' });
    expect(await named('@locked')).toEqual([]);
    await lock('device', ids[1]);
    expect(await named('@locked & site:a')).toEqual([1]);
  });

  it('names every device with a lock whose selector cannot be read', async () => {
    const insert = `insert into lock (id, kind, target, reason, created_at, created_by, created_by_name)
                    values ($1, 'selector', 'tag:', 'test', now(), 'test', 'test')`;
    await db.query(insert, [randomUUID()]);
    expect(await named('lock:any')).toEqual([0, 1, 2]);
  });

  it('names nothing for who may not see locks', async () => {
    await lock('device', ids[2]);
    const { api: viewer } = await addPerson(world, 'Vic', [{ role: 'viewer' }]);
    expect(await named('lock:any', viewer)).toEqual([]);
    expect(await named('!lock:any', viewer)).toEqual([0, 1, 2]);
  });

  it('counts the terms of locks', async () => {
    await lock('selector', Array.from({ length: 300 }, () => 'tag:x').join('|'));
    const many = Array.from({ length: 20 }, () => 'lock:any').join('|');
    await expect(named(many)).rejects.toMatchObject({
      code: 'invalid_selector',
      problem: { expected: expect.stringContaining('at most 4000 terms') },
    });
  });
});

describe('the rights of who names devices by records', () => {
  it('narrow jobs and backups to devices whose jobs they may read', async () => {
    const rules = [
      { effect: 'allow', permissions: ['device.read'] },
      { effect: 'allow', permissions: ['job.read'], selector: 'site:b' },
    ];
    await world.api.send('PUT', '/v1/roles/jobs-of-b', { rules });
    const { api } = await addPerson(world, 'Nora', [{ role: 'jobs-of-b' }]);
    await addJob(1, { phase: 'running' });
    await addJob(2, { phase: 'running' });
    await addBackup(1, 100);
    await addBackup(2, 100);
    expect(await named('job:running')).toEqual([1, 2]);
    expect(await named('job:running', api)).toEqual([2]);
    expect(await named('backup>26h', api)).toEqual([2]);
    expect(await named('backup:none', api)).toEqual([]);
  });

  it.each([
    ['site:a & backup>26h', 9],
    ['backup:none', 0],
    ['!job:failed', 1],
    ['site:a|lock:any', 7],
    ['certificate<30d', 0],
    ['site:b & credentials:none', 9],
  ])('cannot depend on %s', async (selector, position) => {
    const rules = [{ effect: 'allow', permissions: ['device.read'], selector }];
    const refused = { code: 'invalid_selector', problem: expect.objectContaining({ position }) };
    await expect(world.api.send('PUT', '/v1/roles/by-record', { rules })).rejects.toMatchObject(refused);
    await expect(
      world.api.post('/v1/locks', { kind: 'selector', target: selector, reason: 'test' }),
    ).rejects.toMatchObject(refused);
  });
});
