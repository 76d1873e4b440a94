import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { CheckRunner } from '../../src/rollouts/engine/check-runner.js';
import { type CallCheck, type HealthCheck } from '../../src/rollouts/state/rollout-policy.js';
import { Rollout } from '../../src/rollouts/state/rollout.entity.js';
import { PATHS } from '../../src/device-api/contract.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type PersonsKey } from '../support/people.js';
import { createRollout, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* A health check reads a device in the rights of the author of its rollout, as a call of theirs would. */

const PATH = '/api/wireguard/config';

let world: TestGateway;
let fleet: Fleet;
let deviceId: string;
let privateKey: string;

beforeAll(async () => {
  fleet = await startFleet({ devices: 1, profile: 'rutos', timeScale: 600 });
  world = await startTestGateway();
  const [{ baseUrl, username, password }] = fleet.devices as [Fleet['devices'][number]];
  const device = { name: 'd0', baseUrl, credentials: { username, password } };
  ({ id: deviceId } = await world.api.post<{ id: string }>('/v1/devices', device));
  const made = await world.api.post<{ data: { private_key: string } }>('/v1/devices/name:d0/api/wireguard/config', {
    data: { id: 'wg1' },
  });
  privateKey = made.data.private_key;
  expect(privateKey.length).toBeGreaterThan(20);
  const role = (name: string, rules: object[]) => world.api.send('PUT', `/v1/roles/${name}`, { rules });
  const denied = { api: { '/wireguard/*': ['read'] } };
  await role('not-wireguard', [
    { effect: 'allow', permissions: ['rollout.*', 'device.*', 'job.*'] },
    { effect: 'deny', permissions: ['device.call_read'], devices: denied },
  ]);
  await role('not-its-secrets', [
    { effect: 'allow', permissions: ['rollout.*', 'device.*', 'job.*'] },
    { effect: 'deny', permissions: ['device.read_secrets'], devices: denied },
  ]);
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

const call = (match: object, path = PATH): HealthCheck => ({
  check: 'call',
  path,
  match: match as CallCheck['match'],
});
const input = (...checks: object[]) => ({
  name: 'test',
  kind: 'backup',
  selector: 'name:d0',
  policy: { waves: [{ take: 'rest' }], checks, held: 'wait' },
});
const plan = (by: PersonsKey, ...checks: object[]) =>
  by.api.post<{ total: number }>('/v1/rollouts', { ...input(...checks), dryRun: true });
const REFUSED = { total: 0, skipped: [{ name: 'd0', reason: 'forbidden' }] };

describe('at planning', () => {
  it.each([
    'system/device/status',
    '/system/device/status',
    '/api/system//device/status',
    '/api/system/../users/config',
    '/api/users/%63onfig',
    '/api/login',
    '/api/logout',
    '/api/bulk',
    '/api/v1/bulk',
  ])('a check of %s is refused, with its place', async (path) => {
    const by = await world
      .as('operator')
      .post('/v1/rollouts', input({ check: 'reachable' }, call({}, path)))
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(by).toMatchObject({ code: 'invalid_input' });
    expect(JSON.stringify(by)).toContain('/policy/checks/1/path');
  });

  it('a device is left out where the author may not read the path', async () => {
    const author = await addPerson(world, 'Nora', [{ role: 'not-wireguard' }]);
    expect(await plan(author, call({}))).toMatchObject(REFUSED);
    expect(await plan(author, call({}, '/api/system/device/status'))).toMatchObject({ total: 1 });
    await expect(author.api.post('/v1/rollouts', input(call({})))).rejects.toMatchObject({ code: 'rollout_is_empty' });
  });

  it('a device is left out where the check compares a secret that the author may not read', async () => {
    const author = await addPerson(world, 'Otto', [{ role: 'not-its-secrets' }]);
    expect(await plan(author, call({ 0: { private_key: privateKey } }))).toMatchObject(REFUSED);
    expect(await plan(author, call({ 0: { id: 'wg1' } }))).toMatchObject({ total: 1 });
    const other = await addPerson(world, 'Olga', [{ role: 'operator' }]);
    expect(await plan(other, call({ 0: { private_key: privateKey } }))).toMatchObject({ total: 1 });
  });

  it('a check that compares a secret is refused to a key that could not read it when the rollout runs', async () => {
    const author = await addPerson(world, 'Piet', [{ role: 'operator' }], {});
    const refused = plan(author, call({ 0: { private_key: privateKey } }));
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await plan(author, call({ 0: { id: 'wg1' } }))).toMatchObject({ total: 1 });
  });
});

it('a look in clear is in the audit, in the name of the author', async () => {
  const author = await addPerson(world, 'Quin', [{ role: 'operator' }]);
  const { id } = await createRollout(author.api, input(call({ 0: { private_key: privateKey } })));
  await untilRollout(author.api, id, 'finished');
  const { items } = await world.api.get<{ items: object[] }>('/v1/audit?action=device.read_secrets');
  expect(items).toContainEqual(
    expect.objectContaining({
      subject: `GET ${PATH}`,
      actorName: author.name,
      deviceId,
    }),
  );
});

describe('at the look', () => {
  const drafted = async (by: PersonsKey, check: HealthCheck) => {
    const { id } = await by.api.post<RolloutAnswer>('/v1/rollouts', input(check));
    const { app } = world.gateway;
    const rollout = await app.get(DataSource).manager.findOneByOrFail(Rollout, { id });
    return () => app.get(CheckRunner).run(rollout, deviceId, check, new AbortController().signal);
  };
  const assign = ({ operatorId }: PersonsKey, role: string) =>
    world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles: [{ role }] });

  it('the author needs the right to read the path, as it is then', async () => {
    const author = await addPerson(world, 'Rita', [{ role: 'operator' }]);
    const look = await drafted(author, call({ 0: { id: 'wg1' } }));
    expect(await look()).toBeNull();
    await assign(author, 'not-wireguard');
    expect(await look()).toBe('health_forbidden');
    await assign(author, 'operator');
    await world.api.send('DELETE', `/v1/api-keys/${author.keyId}`);
    await expect(look()).rejects.toMatchObject({ code: 'author_gone' });
  });

  describe.each<HealthCheck>([{ check: 'reachable' }, { check: 'firmware', is: '00.00.0' }])(
    'the check $check',
    (check) => {
      const requests = () => fleet.ledger.entries({ device: 0, path: PATHS.systemStatus }).length;
      const wanted = check.check === 'reachable' ? null : 'health_firmware';

      it('is made while the author sees the device, and not after all their roles are removed', async () => {
        const author = await addPerson(world, `Ulla ${check.check}`, [{ role: 'operator' }]);
        const look = await drafted(author, check);
        expect(await look()).toBe(wanted);
        const before = requests();
        await world.api.send('PUT', `/v1/operators/${author.operatorId}/roles`, { roles: [] });
        expect(await look()).toBe('health_forbidden');
        expect(requests()).toBe(before);
      });

      it('is not made while the author or their key is locked, and is afterwards', async () => {
        const author = await addPerson(world, `Vera ${check.check}`, [{ role: 'operator' }]);
        const look = await drafted(author, check);
        for (const [kind, target] of [
          ['operator', author.operatorId],
          ['key', author.keyId],
        ]) {
          const before = requests();
          const lock = await world.api.post<{ id: string }>('/v1/locks', { kind, target, reason: 'lost laptop' });
          await expect(look()).rejects.toMatchObject({ code: 'locked' });
          expect(requests()).toBe(before);
          await world.api.send('DELETE', `/v1/locks/${lock.id}`);
          expect(await look()).toBe(wanted);
        }
      });

      it('is not made after the author is disabled, or their key is revoked', async () => {
        const leaver = await addPerson(world, `Wim ${check.check}`, [{ role: 'operator' }]);
        const look = await drafted(leaver, check);
        const before = requests();
        await world.api.send('PATCH', `/v1/operators/${leaver.operatorId}`, { disabled: true });
        await expect(look()).rejects.toMatchObject({ code: 'author_gone' });
        const loser = await addPerson(world, `Xenia ${check.check}`, [{ role: 'operator' }]);
        const other = await drafted(loser, check);
        await world.api.send('DELETE', `/v1/api-keys/${loser.keyId}`);
        await expect(other()).rejects.toMatchObject({ code: 'author_gone' });
        expect(requests()).toBe(before);
      });
    },
  );

  it('a check that was read and sent back compares as before, for an author who may read secrets too', async () => {
    const author = await addPerson(world, 'Tess', [{ role: 'operator' }]);
    const made = await author.api.post<{ policy: { checks: CallCheck[] } }>(
      '/v1/rollouts',
      input(call({ 0: { private_key: privateKey } })),
    );
    const [shown] = made.policy.checks;
    expect(JSON.stringify(shown)).not.toContain(privateKey);
    expect(await (await drafted(author, shown!))()).toBeNull();
    const other = { ...shown!, match: { 0: { private_key: 'hmac:0123456789abcdef' } } };
    expect(await (await drafted(author, other))()).toBe('health_answer');
  });

  it('an author who may not read secrets compares their fingerprints', async () => {
    const author = await addPerson(world, 'Sven', [{ role: 'operator' }]);
    const secret = await drafted(author, call({ 0: { private_key: privateKey } }));
    expect(await secret()).toBeNull();
    await assign(author, 'not-its-secrets');
    expect(await secret()).toBe('health_answer');
    const other = await addKey(world, author.operatorId, {});
    const shown = await other.api.get<{ data: { private_key: string }[] }>(`/v1/devices/name:d0${PATH}`);
    const printed = await drafted(other, call({ 0: { private_key: shown.data[0]!.private_key } }));
    expect(await printed()).toBeNull();
  });
});
