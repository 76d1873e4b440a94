import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

/* A plan says which devices cannot start now, by what the job itself would say. */

interface Plan {
  readonly total: number;
  readonly ready: number;
  readonly notReady: readonly { readonly reason: string; readonly devices: number; readonly first: string[] }[];
  readonly waves: readonly { readonly total: number; readonly first: readonly string[] }[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface Job {
  readonly id: string;
  readonly phase: string;
  readonly failure: { readonly code: string } | null;
}

const RUNNING = 'RUTX_R_00.07.16.3';
const HOUR_MS = 3_600_000;

let test: TestGateway;
let fleet: Fleet;
let api: TestApi;
let db: pg.Pool;
let image: string;
let count = 0;

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 1, family: 'RUTX50', profile: 'rutos', firmware: '07.16.3', timeScale: 600 });
  test = await startTestGateway();
  api = test.api;
  db = new pg.Pool({ connectionString: test.databaseUrl, max: 1 });
  image = (await store(makeFirmwareImage(FAMILIES.RUTX50, '07.17.3'))).id;
});
afterAll(async () => {
  await db.end();
  await test.close();
  await fleet.close();
});

interface StoredArtifact {
  readonly id: string;
  readonly version: string | null;
  readonly models: string[];
  readonly isImage: boolean | null;
}

async function store(content: Uint8Array | string, about: Record<string, string> = {}): Promise<StoredArtifact> {
  const query = new URLSearchParams({ kind: 'firmware', name: 'image.bin', ...about });
  const answer = await api.client.request('POST', `/v1/artifacts?${query.toString()}`, {
    content: typeof content === 'string' ? content : Buffer.from(content),
    headers: { 'content-type': 'application/octet-stream' },
  });
  return (await answer.json()) as StoredArtifact;
}

/** A device of which this is known, with a login. */
async function device(facts: { model?: string | null; firmware?: string | null; state?: string } = {}) {
  const { model = 'RUTX50', firmware = RUNNING, state = 'online' } = facts;
  const name = `router-${++count}`;
  const baseUrl = `https://10.9.${count >> 8}.${count & 255}`;
  const credentials = { username: 'admin', password: 'Planted-Secret-4' };
  const { id } = await api.post<{ id: string }>('/v1/devices', { name, baseUrl, credentials });
  await db.query('update device set model = $2, firmware = $3, state = $4 where id = $1', [id, model, firmware, state]);
  return { id, name };
}

/** A backup that was made and last confirmed so many hours ago. */
async function backUp(deviceId: string, madeHours = 1, confirmedHours: number | null = null): Promise<void> {
  const ago = (hours: number | null) => hours && new Date(Date.now() - hours * HOUR_MS);
  await db.query(
    `insert into artifact (id, sha256, bytes, kind, name, device_id, created_at, confirmed_at)
     values ($1, $2, 9, 'backup', 'backup.tar.gz', $3, $4, $5)`,
    [randomUUID(), 'ab'.repeat(32), deviceId, ago(madeHours), ago(confirmedHours)],
  );
}

const plan = (selector: string, spec: object, policy: object = {}) =>
  api.post<Plan>('/v1/rollouts', { name: 'plan', dryRun: true, kind: 'firmware', selector, spec, policy });

type Case = readonly [
  make: () => Promise<{ readonly name: string }>,
  reasons: readonly string[],
  spec?: (() => Promise<object> | object) | undefined,
  policy?: object,
];

const backedUp = async (facts: Parameters<typeof device>[0] = {}) => {
  const made = await device(facts);
  await backUp(made.id);
  return made;
};

const lockedDevice = async () => {
  const made = await backedUp();
  await api.post('/v1/locks', { kind: 'device', target: `name:${made.name}`, reason: 'maintenance' });
  return made;
};

const old = async () => {
  const made = await device();
  await backUp(made.id, 72);
  return made;
};

const confirmed = async () => {
  const made = await device();
  await backUp(made.id, 500, 2);
  return made;
};

const imageOf = async (version: string, about: Record<string, string> = {}) => ({
  artifactId: (await store(makeFirmwareImage(FAMILIES.RUTX50, version), about)).id,
});

const CASES: Readonly<Record<string, Case>> = {
  'with a backup of today': [() => backedUp(), []],
  'with an old backup that was confirmed today': [confirmed, []],
  'without a backup, where none is wanted': [() => device(), [], () => ({ artifactId: image, backup: 'skip' })],
  'without a backup': [() => device(), ['backup_missing']],
  'without a backup, that has the version already': [() => device(), [], () => imageOf('07.16.3')],
  'with a backup of last week': [old, ['backup_missing']],
  offline: [() => backedUp({ state: 'offline' }), ['offline']],
  locked: [lockedDevice, ['locked']],
  'of another model': [() => backedUp({ model: 'TRB140' }), ['image_wrong_model']],
  'that the image may be for by the name of its platform': [
    () => backedUp({ model: 'RUT241' }),
    [],
    () => imageOf('07.17.3', { models: 'Teltonika RUT2M' }),
  ],
  'of a model that is not known': [() => backedUp({ model: null }), []],
  'with newer firmware': [() => backedUp({ firmware: 'RUTX_R_00.07.20.1' }), ['image_is_older']],
  'with newer firmware, where a downgrade is allowed': [
    () => backedUp({ firmware: 'RUTX_R_00.07.20.1' }),
    [],
    () => ({ artifactId: image, allowDowngrade: true }),
  ],
  'with firmware that is too old': [
    () => backedUp(),
    ['firmware_too_old'],
    () => imageOf('07.17.3', { minimumVersion: '7.16.9' }),
  ],
  'with firmware that is not known': [
    () => backedUp({ firmware: null }),
    [],
    () => imageOf('07.17.3', { minimumVersion: '7.16.9' }),
  ],
  'for an image without a signature': [
    () => backedUp(),
    ['image_not_signed'],
    () => ({ artifactId: image, requireSignature: true }),
  ],
  'for a text of six bytes': [
    () => backedUp(),
    ['image_invalid'],
    async () => ({ artifactId: (await store('hello\n')).id }),
  ],
  'with a window that is too short': [
    () => backedUp(),
    ['no_window'],
    undefined,
    { windows: [{ from: '01:00', to: '02:00' }], expectedMinutes: 90 },
  ],
  'with several reasons': [
    () => device({ state: 'offline', model: 'RUT241' }),
    ['offline', 'backup_missing', 'image_wrong_model'],
  ],
};

describe('a device of a plan', () => {
  it.each(Object.entries(CASES))(
    '%s',
    async (_words, [make, reasons, spec = () => ({ artifactId: image }), policy]) => {
      const { name } = await make();
      const { total, ready, notReady } = await plan(`name=${name}`, await spec(), policy);
      expect(notReady.map(({ reason }) => reason).toSorted()).toEqual([...reasons].toSorted());
      for (const { devices, first } of notReady) expect([devices, first]).toEqual([1, [name]]);
      expect([total, ready]).toEqual([1, reasons.length === 0 ? 1 : 0]);
    },
  );

  it('without credentials, or with ones that are refused, is left out as before', async () => {
    const names = await Promise.all(
      ['credentials_refused', 'trust_changed'].map(async (state) => (await backedUp({ state })).name),
    );
    const without = await api.post<{ name: string }>('/v1/devices', { name: 'bare', baseUrl: 'https://10.9.250.1' });
    const selector = [...names, without.name].map((name) => `name=${name}`).join(' | ');
    const { skipped } = await plan(selector, { artifactId: image });
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['device_credentials_refused', 'device_trust_changed', 'device_has_no_credentials']),
    );
  });
});

describe('a plan', () => {
  it('counts the devices of each reason, and names ten', async () => {
    const made = [];
    for (let at = 0; at < 60; at++) made.push(await device());
    await backUp(made[7]!.id);
    const { total, ready, notReady } = await plan(made.map(({ name }) => `name=${name}`).join(' | '), {
      artifactId: image,
    });
    expect([total, ready]).toEqual([60, 1]);
    expect(notReady).toMatchObject([{ reason: 'backup_missing', devices: 59 }]);
    expect(notReady[0]!.first).toHaveLength(10);
  });

  it('gives the canary to a device that answers, and counts those that wait', async () => {
    const made = [await device({ state: 'offline' }), await lockedDevice(), await lockedDevice(), await device()];
    const { name } = made.at(-1)!;
    const policy = { waves: [{ take: { count: 1 } }, { take: 'rest' }] };
    const body = { name: 'plan', dryRun: true, kind: 'reboot', policy };
    const selector = made.map((one) => `name=${one.name}`).join(' | ');
    const { total, ready, waves } = await api.post<Plan>('/v1/rollouts', { ...body, selector });
    expect([total, ready]).toEqual([4, 1]);
    expect(waves.map((wave) => wave.total)).toEqual([1, 3]);
    expect(waves[0]!.first).toEqual([name]);
  });

  it('of a kind that foresees nothing says the same of the devices themselves', async () => {
    const { name } = await device({ state: 'offline' });
    const body = { name: 'plan', dryRun: true, kind: 'reboot', selector: `name=${name}` };
    expect(await api.post<Plan>('/v1/rollouts', body)).toMatchObject({
      ready: 0,
      notReady: [{ reason: 'offline', devices: 1 }],
    });
  });
});

describe('the job says what the plan foresaw', () => {
  let own: { id: string };

  beforeAll(async () => {
    const { baseUrl, username, password } = fleet.devices[0]!;
    own = await api.post('/v1/devices', { name: 'real', baseUrl, credentials: { username, password } });
    await db.query(`update device set model = 'RUTX50', firmware = $2 where id = $1`, [own.id, RUNNING]);
  });

  it.each<[string, () => Promise<object> | object]>([
    ['backup_missing', () => ({ artifactId: image })],
    ['image_not_signed', () => ({ artifactId: image, requireSignature: true, backup: 'skip' })],
    ['image_wrong_model', async () => ({ ...(await imageOf('07.17.3', { models: 'TRB*' })), backup: 'skip' })],
    ['image_is_older', async () => ({ ...(await imageOf('07.14.1')), backup: 'skip' })],
    ['firmware_too_old', async () => ({ ...(await imageOf('07.17.3', { minimumVersion: '7.16.9' })), backup: 'skip' })],
    ['image_invalid', async () => ({ artifactId: (await store('hello\n')).id, backup: 'skip' })],
  ])('%s', async (code, makeSpec) => {
    const spec = await makeSpec();
    const { notReady } = await plan('name=real', spec);
    expect(notReady).toMatchObject([{ reason: code, devices: 1 }]);
    const { id } = await api.post<Job>(`/v1/devices/${own.id}/jobs`, { kind: 'firmware', spec });
    const ended = await until(async () => {
      const job = await api.get<Job>(`/v1/jobs/${id}`);
      return job.phase === 'ended' ? job : null;
    });
    expect(ended.failure?.code).toBe(code);
  });
});

describe('the firmware of a plan', () => {
  interface Line {
    readonly model: string | null;
    readonly devices: number;
    readonly vendor: { readonly version: string } | null;
  }
  const linesOf = async (selector: string) =>
    (await api.post<{ firmware: Line[] }>('/v1/rollouts', { name: 'plan', dryRun: true, kind: 'firmware', selector, spec: { source: 'vendor' } }))
      .firmware; // prettier-ignore

  it('counts those that take part by model, with the newest version that one of them was offered', async () => {
    const asked = await device({ model: 'RUT-A' });
    const same = await device({ model: 'RUT-A' });
    const other = await device({ model: 'RUT-B' });
    const leftOut = await api.post<{ name: string }>('/v1/devices', { name: 'no-login', baseUrl: 'https://10.8.0.1' });
    const selector = [asked, same, other, leftOut].map(({ name }) => `name=${name}`).join(' | ');
    expect(await linesOf(selector)).toMatchObject([
      { model: 'RUT-A', firmware: RUNNING, devices: 2, vendor: null },
      { model: 'RUT-B', firmware: RUNNING, devices: 1, vendor: null },
    ]);

    const job = await api.post<Job>(`/v1/devices/${asked.id}/jobs`, { kind: 'firmware', spec: { source: 'vendor' } });
    await db.query(
      `insert into job_log_line (job_id, ordinal, at, step, text, facts) values ($1, 900, now(), 'offer', 'It has one', $2)`,
      [job.id, { offered: 'RUTX_R_00.07.18' }],
    );
    const lines = await linesOf(selector);
    expect(lines.map(({ model, vendor }) => [model, vendor?.version ?? null])).toEqual([
      ['RUT-A', 'RUTX_R_00.07.18'],
      ['RUT-B', null],
    ]);
  });
});

describe('stored firmware', () => {
  it('has the version and the models that its image says', async () => {
    expect(await store(makeFirmwareImage(FAMILIES.RUTX50, '07.17.3'))).toMatchObject({
      isImage: true,
      version: 'RUTX_R_00.07.17.3',
      models: ['RUTX50', 'RUTX12', 'RUTX08', 'RUTX11'],
    });
  });

  it('has those that the upload says instead', async () => {
    const about = { version: '7.17.3', models: 'RUTX*' };
    expect(await store(makeFirmwareImage(FAMILIES.RUTX50, '07.17.3'), about)).toMatchObject({
      isImage: true,
      version: '7.17.3',
      models: ['RUTX*'],
    });
  });

  it('is stored, and told, when it is no image', async () => {
    expect(await store('hello\n')).toMatchObject({ isImage: false, version: null, models: [] });
    expect(await store('a certificate', { kind: 'certificate' })).toMatchObject({ isImage: null });
  });
});
