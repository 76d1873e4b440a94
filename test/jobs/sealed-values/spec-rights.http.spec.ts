import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { type TestApi } from '../../support/test-api.js';
import { Artifact } from '../../../src/artifacts/artifact.entity.js';
import { ArtifactStore } from '../../../src/artifacts/artifacts.js';
import { JobBatches } from '../../../src/jobs/engine/job-batches.js';
import { Job, type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { SealedValuesService } from '../../../src/jobs/sealed-values/sealed-values.service.js';
import { AppError } from '../../../src/platform/errors.js';
import { RolloutSweeper } from '../../../src/rollouts/engine/rollout.sweeper.js';
import { SchedulesService } from '../../../src/rollouts/schedules/schedules.service.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson, type Person } from '../../support/people.js';
import { until } from '../../support/until.js';

/* What a spec names by id is what its author could read by hand. No process runs jobs here: starting is what is judged. */

const SITES = ['alpha', 'beta'] as const;
type Site = (typeof SITES)[number];

let world: TestGateway;
let db: DataSource;
let values: SealedValuesService;
/** An operator of the site alpha. */
let alpha: Person;
/** An operator of all devices, without a second factor. */
let plain: Person;
const devices: Record<Site, string> = { alpha: '', beta: '' };
/** A backup of each device. */
const backups: Record<Site, string> = { alpha: '', beta: '' };

const code = (call: Promise<unknown>) =>
  call.then(
    () => 'started',
    (error: { code?: string; status?: number }) => `${error.status} ${error.code}`,
  );
const start = (api: TestApi, site: Site, kind: string, spec: object) =>
  code(api.post(`/v1/devices/${devices[site]}/jobs`, { kind, spec }));
const upload = (artifactId: string) => ({ artifactId, path: '/api/files/config', fields: {} });
const account = (sealedValue: string) => ({ accounts: [{ username: 'ops', sealedValue }] });
const configure = (valueId: string, option: string, path = '/api/wireguard/config/site') => ({
  changes: [{ action: 'update', path, sealed: [{ option, valueId }] }],
});
const rollout = (kind: string, spec: object) => ({
  name: `rollout ${randomUUID()}`,
  kind,
  spec,
  selector: 'site:alpha',
  policy: { waves: [{ take: 'rest' }], held: 'wait' },
});
const give = async (api: TestApi) =>
  (await api.post<{ id: string }>('/v1/sealed-values', { label: 'test', value: randomUUID() })).id;
/** As a job does that makes a value. */
async function make(kind: string, name: string): Promise<string> {
  const { id } = await world.api.post<{ id: string }>(`/v1/devices/${devices.alpha}/jobs`, { kind: 'reboot' });
  await db.query('update job set kind = $2 where id = $1', [id, kind]);
  const row: JobRow = await db.manager.findOneByOrFail(Job, { id });
  return values.sealFor(row, name, name, () => randomUUID());
}

async function addBackup(site: Site): Promise<string> {
  const draft = await world.gateway.app.get(ArtifactStore).write(Readable.from([Buffer.from(site)]), 100);
  await draft.keep();
  const { sha256, bytes } = draft;
  const row = { id: randomUUID(), kind: 'backup' as const, name: 'backup.tar.gz', deviceId: devices[site] };
  await db.manager.insert(Artifact, { ...row, sha256, bytes, createdAt: new Date() });
  return row.id;
}

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = world.gateway.app.get(DataSource);
  values = world.gateway.app.get(SealedValuesService);
  for (const site of SITES) {
    const device = {
      name: site,
      site,
      baseUrl: `https://${site}.example`,
      credentials: { username: 'admin', password: randomUUID() },
    };
    devices[site] = (await world.api.post<{ id: string }>('/v1/devices', device)).id;
    backups[site] = await addBackup(site);
  }
  // An operator's rights, those about devices for the devices of one site.
  const about = (permissions: string[], selector?: string) => ({ effect: 'allow', permissions, selector });
  await world.api.send('PUT', '/v1/roles/operator-of-alpha', {
    rules: [
      about(['device.*', 'job.*', 'artifact.read'], 'site:alpha'),
      about(['rollout.*', 'sealed_value.give', 'backup.*', 'artifact.manage']),
    ],
  });
  alpha = await addPerson(world, 'Alma', [{ role: 'operator-of-alpha' }]);
  plain = await addPerson(world, 'Paul', [{ role: 'operator' }], {});
});
afterAll(() => world.close());

const HIDDEN = '404 artifact_not_found';
const NO_VALUE = '404 sealed_value_not_found';

describe('an artifact in the spec of a job', () => {
  it('is not there for those who may not read it, as one that never was', async () => {
    expect(await start(alpha.api, 'alpha', 'upload', upload(backups.beta))).toBe(HIDDEN);
    expect(await start(alpha.api, 'alpha', 'upload', upload(randomUUID()))).toBe(HIDDEN);
    const restore = { artifactId: backups.beta, allowOther: true };
    expect(await start(alpha.api, 'alpha', 'restore', restore)).toBe(HIDDEN);
    expect(await start(alpha.api, 'alpha', 'restore', { ...restore, artifactId: randomUUID() })).toBe(HIDDEN);
    expect(await start(alpha.api, 'alpha', 'upload', upload(backups.alpha))).toBe('started');
    expect(await start(world.api, 'alpha', 'upload', upload(backups.beta))).toBe('started');
  });

  it('asks for what its download asks: the second factor, and the right to read secrets', async () => {
    expect(await start(plain.api, 'alpha', 'upload', upload(backups.beta))).toBe('403 step_up_required');
    const deployer = await addPerson(world, 'Dora', [{ role: 'deployer' }]);
    expect(await start(deployer.api, 'alpha', 'upload', upload(backups.beta))).toBe('403 forbidden');
  });

  it('of a device that was removed is there for those who see all devices', async () => {
    const id = await addBackup('beta');
    await db.query('update artifact set device_id = $2 where id = $1', [id, randomUUID()]);
    expect(await code(alpha.api.get(`/v1/artifacts/${id}`))).toBe(HIDDEN);
    expect(await start(alpha.api, 'alpha', 'upload', upload(id))).toBe(HIDDEN);
    expect(await world.api.get(`/v1/artifacts/${id}`)).toMatchObject({ id });
    await db.query('delete from artifact where id = $1', [id]);
  });

  it('is judged when a rollout or a schedule is made, by the same words', async () => {
    for (const id of [backups.beta, randomUUID()]) {
      const wish = rollout('upload', upload(id));
      expect(await code(alpha.api.post('/v1/rollouts', wish))).toBe(HIDDEN);
      const rhythm = { everySeconds: 3_600 };
      const { name: _name, ...template } = wish;
      const schedule = { name: randomUUID(), rhythm, rollout: { ...template, name: 'again' } };
      expect(await code(alpha.api.post('/v1/schedules', schedule))).toBe(HIDDEN);
    }
  });

  it('asks for the second factor when a rollout with it starts', async () => {
    const { id } = await plain.api.post<{ id: string }>('/v1/rollouts', rollout('upload', upload(backups.beta)));
    expect(await code(plain.api.post(`/v1/rollouts/${id}/start`, {}))).toBe('403 step_up_required');
    await world.api.post(`/v1/rollouts/${id}/start`, {});
    await world.api.post(`/v1/rollouts/${id}/abort`, {});
  });

  it('is judged again at each run of a rollout and of a schedule', async () => {
    const wide = await addPerson(world, 'Wanda', [{ role: 'operator' }]);
    const { id } = await wide.api.post<{ id: string }>('/v1/rollouts', rollout('upload', upload(backups.beta)));
    const { name: _name, ...template } = rollout('upload', upload(backups.beta));
    const schedule = await wide.api.post<{ id: string }>('/v1/schedules', {
      name: 'nightly',
      rhythm: { everySeconds: 3_600 },
      rollout: { ...template, name: 'again' },
    });
    await world.api.send('PUT', `/v1/operators/${wide.operatorId}/roles`, { roles: [{ role: 'operator-of-alpha' }] });
    await db.query(`update rollout set state = 'running', started_at = now() where id = $1`, [id]);
    await world.gateway.app.get(RolloutSweeper).sweep();
    const targets = async () =>
      (await world.api.get<{ items: { state: string }[] }>(`/v1/rollouts/${id}/devices`)).items;
    expect(await until(async () => (await targets())[0]?.state !== 'waiting' && targets())).toMatchObject([
      { state: 'skipped', reason: 'artifact_not_found', jobId: null },
    ]);
    await db.query(
      `update rollout set state = 'aborted', ended_at = now(), pause_cause = null, pause_sentence = null where id = $1`,
      [id],
    );
    await db.query(`update schedule set next_run_at = now() - interval '1 second' where id = $1`, [schedule.id]);
    await world.gateway.app.get(SchedulesService).sweep();
    // The gateway sweeps by itself too, and may have this run in hand.
    const read = () => world.api.get<{ lastError: string | null }>(`/v1/schedules/${schedule.id}`);
    expect((await until(async () => (await read()).lastError !== null && read())).lastError).toBe('artifact_not_found');
    await world.api.send('DELETE', `/v1/schedules/${schedule.id}`);
  });

  it('has the kind and the digest that the spec names, or its rollout is refused and its run skips', async () => {
    const other = { artifactId: backups.alpha, sha256: 'ab'.repeat(32) };
    expect(await code(world.api.post('/v1/rollouts', rollout('restore', other)))).toBe('409 artifact_changed');
    expect(await code(world.api.post('/v1/rollouts', rollout('firmware', other)))).toBe('400 invalid_input');
    const { id } = await world.api.post<{ id: string }>(
      '/v1/rollouts',
      rollout('restore', { ...other, sha256: undefined }),
    );
    await db.query('update rollout set spec = $2 where id = $1', [id, other]);
    await world.api.post(`/v1/rollouts/${id}/start`, {});
    await world.gateway.app.get(RolloutSweeper).sweep();
    const target = async () =>
      (await world.api.get<{ items: { state: string }[] }>(`/v1/rollouts/${id}/devices`)).items[0];
    expect(await until(async () => (await target())?.state !== 'waiting' && target())).toMatchObject({
      state: 'skipped',
      reason: 'artifact_changed',
    });
  });
});

describe('a rollout that cannot go on', () => {
  type RolloutState = {
    readonly id: string;
    readonly state: string;
    readonly pause: { readonly cause: string } | null;
  };
  const read = (id: string) => world.api.get<RolloutState>(`/v1/rollouts/${id}`);
  const sweep = () => world.gateway.app.get(RolloutSweeper).sweep();
  /** Two rollouts, in the order in which they are swept. */
  const draft = async () => {
    const made = [rollout('backup', {}), rollout('backup', {})].map((wish) =>
      world.api.post<RolloutState>('/v1/rollouts', wish),
    );
    return (await Promise.all(made)).map(({ id }) => id).toSorted();
  };
  const begin = (ids: readonly string[]) =>
    db.query(`update rollout set state = 'scheduled' where id = any ($1)`, [ids]);
  /** Targets too: a device that one rollout has in hand is begun by no other. */
  const end = (ids: readonly string[]) =>
    db.query(
      `with freed as (update rollout_target set state = 'cancelled', ended_at = now() where rollout_id = any ($1))
       update rollout set state = 'aborted', ended_at = now(), pause_cause = null, pause_sentence = null where id = any ($1)`,
      [ids],
    );

  it('holds up no other one, and the sweep says that it failed', async () => {
    const [broken, fine] = await draft();
    await db.query(`update rollout set kind = 'of another version' where id = $1`, [broken]);
    await begin([broken!, fine!]);
    await expect(sweep()).rejects.toThrow(/of another version/);
    await until(async () => (await read(fine!)).state === 'running');
    expect(await read(broken!)).toMatchObject({ state: 'scheduled', pause: null });
    await end([broken!, fine!]);
  });

  it('is paused with the sentence of what refuses it', async () => {
    const [refused, fine] = await draft();
    const batches = world.gateway.app.get(JobBatches);
    const start = batches.start.bind(batches);
    batches.start = async (tx, kind, items, starter) => {
      const names: { name: string }[] = await db.query('select name from rollout where id = $1', [refused]);
      if (starter.reason === `rollout ${names[0]!.name}`) throw new AppError('artifact_changed');
      return start(tx, kind, items, starter);
    };
    await begin([refused!, fine!]);
    await sweep();
    expect(await until(async () => (await read(refused!)).state === 'paused' && read(refused!))).toMatchObject({
      pause: { cause: 'refused', sentence: expect.stringContaining('artifact_changed') },
    });
    await until(async () => (await read(fine!)).state === 'running');
    batches.start = start;
    await end([refused!, fine!]);
  });
});

describe('a sealed value in the spec of a job', () => {
  it('that another operator gave is not there, as one that never was', async () => {
    const given = await give(world.api);
    for (const id of [given, randomUUID()]) {
      expect(await start(alpha.api, 'alpha', 'users', account(id))).toBe(NO_VALUE);
      expect(await start(alpha.api, 'alpha', 'configure', configure(id, 'private_key'))).toBe(NO_VALUE);
      expect(await start(alpha.api, 'alpha', 'backup', { sealedValue: id })).toBe(NO_VALUE);
      expect(await start(alpha.api, 'alpha', 'credentials', { sealedValue: id })).toBe(NO_VALUE);
      const restore = { artifactId: backups.alpha, sealedPassword: id };
      expect(await start(alpha.api, 'alpha', 'restore', restore)).toBe(NO_VALUE);
      expect(await code(alpha.api.post('/v1/rollouts', rollout('users', account(id))))).toBe(NO_VALUE);
    }
    expect(await start(world.api, 'alpha', 'users', account(given))).toBe('started');
    expect(await code(alpha.api.send('DELETE', `/v1/sealed-values/${given}`))).toBe('403 forbidden');
  });

  it('that a job made is for those who may open it', async () => {
    const made = await make('users', 'account ops');
    expect(await start(alpha.api, 'alpha', 'configure', configure(made, 'description'))).toBe('403 forbidden');
    expect(await start(alpha.api, 'alpha', 'users', account(made))).toBe('403 forbidden');
    expect(await start(world.api, 'beta', 'users', account(made))).toBe(NO_VALUE);
    await world.api.send('PUT', '/v1/roles/opens', {
      rules: [{ effect: 'allow', permissions: ['sealed_value.open'] }],
    });
    const roles = [{ role: 'operator' }, { role: 'opens' }];
    const opens = await addPerson(world, 'Olga', roles);
    const withoutFactor = await addPerson(world, 'Otto', roles, {});
    expect(await start(withoutFactor.api, 'alpha', 'users', account(made))).toBe('403 step_up_required');
    expect(await start(opens.api, 'alpha', 'users', account(made))).toBe('started');
  });

  it('that a job took from an option may be put back there by those who may not open it', async () => {
    const made = await make('configure', '/api/wireguard/config/site private_key hmac:0123456789abcdef');
    expect(await start(alpha.api, 'alpha', 'configure', configure(made, 'private_key'))).toBe('started');
    const whole = { action: 'create', path: '/api/wireguard/config', data: { id: 'site' } };
    const back = { changes: [{ ...whole, sealed: [{ option: 'private_key', valueId: made }] }] };
    expect(await start(alpha.api, 'alpha', 'configure', back)).toBe('started');
    expect(await start(alpha.api, 'alpha', 'configure', configure(made, 'description'))).toBe('403 forbidden');
    const elsewhere = configure(made, 'private_key', '/api/notes/config/site');
    expect(await start(alpha.api, 'alpha', 'configure', elsewhere)).toBe('403 forbidden');
  });
});

describe('the passphrase that a backup policy stores', () => {
  const policies = '/v1/backups/policies';
  const daily = { selector: 'all', rhythm: { everySeconds: 86_400 }, enabled: false };
  const copyOf = async (policyId: string) => {
    const rows: { id: string }[] = await db.query('select passphrase as id from backup_policy where id = $1', [
      policyId,
    ]);
    return rows[0]!.id;
  };

  it('is named only to those who may open it, and used only by jobs of the policy', async () => {
    const sealedValue = await give(alpha.api);
    const made = await alpha.api.post<{ id: string }>(policies, { name: 'sealed', sealedValue, ...daily });
    expect(made).toMatchObject({ encrypted: true });
    const copy = await copyOf(made.id);
    for (const api of [world.as('viewer'), world.as('operator'), alpha.api, world.api]) {
      expect(JSON.stringify([made, await api.get(policies), await api.get(`${policies}/${made.id}`)])).not.toContain(
        copy,
      );
    }
    const listed = async (api: TestApi) => JSON.stringify(await api.get('/v1/sealed-values'));
    expect(await listed(alpha.api)).not.toContain(copy);
    expect(await listed(world.api)).toContain(copy);
    for (const api of [alpha.api, world.api, plain.api]) {
      expect(await start(api, 'alpha', 'configure', configure(copy, 'description'))).toBe(NO_VALUE);
      expect(await start(api, 'alpha', 'backup', { sealedValue: copy })).toBe(NO_VALUE);
    }
    expect(await code(alpha.api.send('DELETE', `/v1/sealed-values/${copy}`))).toBe(NO_VALUE);
    expect(await code(alpha.api.post(policies, { name: 'other', sealedValue: copy, ...daily }))).toBe(NO_VALUE);
    // The same at the moment of use, whoever started it.
    const job = {
      kind: 'backup',
      startedBy: `system:backup-policy:${made.id}`,
      operatorId: alpha.operatorId,
    } as JobRow;
    await expect(values.openFor(job, copy)).resolves.toEqual(expect.any(String));
    const others = [{ kind: 'configure' }, { kind: 'restore' }, { startedBy: `key:${alpha.keyId}` }];
    for (const other of others) {
      await expect(values.openFor({ ...job, ...other }, copy)).rejects.toMatchObject({
        code: 'sealed_value_not_found',
      });
    }
    await world.api.send('DELETE', `${policies}/${made.id}`);
  });

  it('goes on with the policy of its author, and of another only for those who may open it', async () => {
    const sealedValue = await give(alpha.api);
    const { id } = await alpha.api.post<{ id: string }>(policies, { name: 'kept', sealedValue, ...daily });
    const copy = await copyOf(id);
    const put = (api: TestApi, more: object = {}) =>
      code(api.send('PUT', `${policies}/${id}`, { name: 'kept', ...daily, ...more }));
    expect(await put(alpha.api)).toBe('started');
    expect(await copyOf(id)).toBe(copy);
    expect(await put(plain.api, { selector: 'site:alpha' })).toBe('403 forbidden');
    expect(await put(world.api)).toBe('started');
    expect(await copyOf(id)).toBe(copy);
    expect(await put(plain.api, { sealedValue: null })).toBe('started');
    expect(await world.api.get(`${policies}/${id}`)).toMatchObject({ encrypted: false });
    await world.api.send('DELETE', `${policies}/${id}`);
  });
});
