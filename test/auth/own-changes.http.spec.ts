import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { Authors } from '../../src/auth/keys/authors.service.js';
import { RightsService } from '../../src/auth/rights/rights.service.js';
import { DevicesService } from '../../src/devices/registry/devices.service.js';
import { JobRights } from '../../src/jobs/engine/job-rights.js';
import { type JobRow } from '../../src/jobs/rows/job.entity.js';
import { PasswordRotation } from '../../src/jobs/password-rotation/password-rotation.js';
import { startProxyWorld, type ProxyWorld } from '../proxy/proxy-world.js';
import { Browser } from '../support/browser.js';
import { addPerson, addWithPassword, PASSWORD, sessionOf, type Person } from '../support/people.js';

/* What a request changed holds for the next one to the same process, however late the notice of the change comes. */

/** Here no notice of these comes at all. */
const SILENT = ['api_key', 'device_account', 'operator', 'operator_role', 'operator_session', 'role'];

let world: ProxyWorld;
let owner: pg.Client;

beforeAll(async () => {
  world = await startProxyWorld({ devices: 1, profile: 'rutos', timeScale: 200 });
  owner = new pg.Client({ connectionString: world.world.databaseUrl });
  await owner.connect();
  for (const table of SILENT) await owner.query(`alter table ${table} disable trigger user`);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await owner.end();
  await world.close();
});

let people = 0;
const add = (role: string) => addPerson(world.world, `Person ${++people}`, [{ role }]);

const disable = (person: Person, disabled: boolean) =>
  world.world.api.send('PATCH', `/v1/operators/${person.operatorId}`, { disabled });

describe('an operator', () => {
  it('who is enabled may again what they may, at once', async () => {
    const person = await add('operator');
    await disable(person, true);
    await expect(person.api.get('/v1/devices')).rejects.toMatchObject({ code: 'unauthenticated' });
    await disable(person, false);
    expect(await person.api.get('/v1/devices')).toMatchObject({ items: [{ id: world.ids[0] }] });
  });

  it('who is disabled may nothing, at once', async () => {
    const person = await add('operator');
    const rights = world.world.gateway.app.get(RightsService);
    expect((await rights.of(person.operatorId, null)).allows({ action: 'device.read' })).toBe(true);
    await disable(person, true);
    expect((await rights.of(person.operatorId, null)).allows({ action: 'device.read' })).toBe(false);
  });

  it('with more sessions than there may be has lost the oldest, at once', async () => {
    const { id, name } = await addWithPassword(world.world, 'Person of many browsers');
    const oldest = await sessionOf(world.world, { id, name });
    expect((await oldest.get('/v1/self')).status).toBe(200);
    await owner.query(
      `insert into operator_session (id, operator_id, hash, way, made_at, ends_at, last_seen_at)
       select gen_random_uuid(), operator_id, sha256(n::text::bytea), way, made_at + n * interval '1 ms', ends_at, last_seen_at
         from operator_session cross join generate_series(1, 49) n where operator_id = $1`,
      [id],
    );
    expect((await new Browser(world.world.url).login(name, PASSWORD)).status).toBe(200);
    expect((await oldest.get('/v1/self')).status).toBe(401);
  });
});

describe('an account whose password a job could not change in time', () => {
  it('logs in again as soon as the next job is prepared', async () => {
    const [devices, rotation] = [
      world.world.gateway.app.get(DevicesService),
      world.world.gateway.app.get(PasswordRotation),
    ];
    const [deviceId] = world.ids as [string];
    await owner.query(`update device_account set changing_until = now() + interval '10 minutes' where device_id = $1`, [
      deviceId,
    ]);
    devices.changed(deviceId);
    expect((await devices.get(deviceId)).account?.changingUntil).toBeInstanceOf(Date);
    await rotation.prepare(deviceId, 'main', randomUUID(), () => Promise.resolve('a lighthouse at dusk'));
    expect((await devices.get(deviceId)).account?.changingUntil).toBeNull();
  });
});

describe('the jobs of a key', () => {
  const jobOf = (person: Person) =>
    ({
      kind: 'call',
      spec: { method: 'GET', path: '/api/system/device/status' },
      deviceId: world.ids[0],
      operatorId: person.operatorId,
      startedBy: `key:${person.keyId}`,
      startedByName: 'test',
    }) as unknown as JobRow;
  const mayGoOn = (person: Person) =>
    world.world.gateway.app
      .get(JobRights)
      .requireContinue(jobOf(person))
      .then(() => true, (error: { code: string }) => error.code); // prettier-ignore

  it('end when it is revoked, before their next step', async () => {
    const person = await add('operator');
    expect(await mayGoOn(person)).toBe(true);
    await world.world.api.send('DELETE', `/v1/api-keys/${person.keyId}`);
    expect(await mayGoOn(person)).toBe('starter_may_not');
  });

  it('end also when it is revoked while its rights are looked up', async () => {
    const person = await add('operator');
    const authors = world.world.gateway.app.get(Authors);
    const look = authors.rightsOf.bind(authors);
    let lookEnds!: () => void;
    const late = new Promise<void>((resolve) => (lookEnds = resolve));
    vi.spyOn(authors, 'rightsOf').mockImplementationOnce(async (authored) => {
      const found = await look(authored);
      await late;
      return found;
    });
    const first = mayGoOn(person);
    await world.world.api.send('DELETE', `/v1/api-keys/${person.keyId}`);
    lookEnds();
    expect(await first).toBe(true);
    expect(await mayGoOn(person)).toBe('starter_may_not');
  });
});
