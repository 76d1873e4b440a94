import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { elsewhere } from '../../support/jobs/kind-cases.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';
import { addPerson } from '../../support/people.js';
import { DatabaseLink } from '../../support/servers/database-link.js';
import { until } from '../../support/until.js';

/* Each device has a second address: a link to it. */

let world: KindWorld;

beforeAll(async () => {
  world = await startKindWorld({ devices: 6, profile: 'rutos', seed: 11 });
});
afterAll(() => world.close());

const addresses = async (index: number) => {
  const [row] = await world.db.query<[{ base: string; spare: string | null }]>(
    'select base_url as base, spare_url as spare from device where id = $1',
    [world.ids[index]],
  );
  return row;
};

const run = async (index: number, spec: object) => world.ended(await world.start(index, 'move', spec));

describe('a job of the kind move', () => {
  it('follows the device, and keeps the old address as the spare one, with one audit entry', async () => {
    const { baseUrl, serial } = world.fleet.devices[0]!;
    const to = await elsewhere(world.fleet.devices[0]!);
    const job = await run(0, { to });
    expect(job).toMatchObject({ outcome: 'succeeded', result: { serial, address: to, spareAddress: baseUrl } });
    expect(await addresses(0)).toEqual({ base: to, spare: baseUrl });
    const moves = await world.db.query<{ facts: object }[]>(
      `select facts from audit_entry where action = 'device.move' and device_id = $1`,
      [world.ids[0]],
    );
    expect(moves).toEqual([{ facts: expect.objectContaining({ from: baseUrl, to, serial, spare: baseUrl }) }]);
    const again = await run(0, { to });
    expect(again).toMatchObject({ outcome: 'succeeded' });
    expect(await addresses(0)).toEqual({ base: to, spare: baseUrl });
    await run(0, { to: baseUrl });
    expect(await addresses(0)).toEqual({ base: baseUrl, spare: to });
  });

  it('forgets the old address where it is told so', async () => {
    const to = await elsewhere(world.fleet.devices[1]!);
    expect(await run(1, { to, keepOld: false })).toMatchObject({
      outcome: 'succeeded',
      result: { spareAddress: null },
    });
    expect(await addresses(1)).toEqual({ base: to, spare: null });
  });

  it('waits until the device answers there', async () => {
    const link = await DatabaseLink.open(world.fleet.devices[2]!.baseUrl);
    link.refuses = true;
    const to = new URL(link.through()).origin;
    try {
      const jobId = await world.start(2, 'move', { to });
      await until(async () => (await world.get(jobId)).log.some(({ text }) => text.includes('Looks for it')));
      expect(await addresses(2)).toEqual({ base: world.fleet.devices[2]!.baseUrl, spare: null });
      link.refuses = false;
      expect(await world.ended(jobId)).toMatchObject({ outcome: 'succeeded', result: { address: to } });
    } finally {
      await link.close();
    }
  });

  it('changes nothing where another device answers, which gets no password', async () => {
    const other = await elsewhere(world.fleet.devices[5]!);
    const job = await run(3, { to: other });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'device_trust_changed' } });
    expect(world.fleet.ledger.summary(5).logins).toBe(0);
    expect(await addresses(3)).toEqual({ base: world.fleet.devices[3]!.baseUrl, spare: null });
  });

  it('changes nothing where another device of the registry has the address', async () => {
    const to = await elsewhere(world.fleet.devices[4]!);
    await world.gateway.api.post('/v1/devices', { name: 'twin', baseUrl: to });
    expect(await run(4, { to })).toMatchObject({ outcome: 'not_executed', failure: { code: 'device_exists' } });
    expect(await addresses(4)).toEqual({ base: world.fleet.devices[4]!.baseUrl, spare: null });
  });

  it('sends nothing to another device of the registry', async () => {
    const { baseUrl: to } = world.fleet.devices[5]!;
    const before = world.fleet.ledger.summary(5);
    expect(await run(3, { to })).toMatchObject({ outcome: 'not_executed', failure: { code: 'device_exists' } });
    expect(world.fleet.ledger.summary(5)).toEqual(before);
  });

  it('needs the right to decide where the password goes', async () => {
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.trust'] },
    ];
    await world.gateway.api.send('PUT', '/v1/roles/without-trust', { rules });
    const { api } = await addPerson(world.gateway, 'Mia', [{ role: 'without-trust' }]);
    const wish = api.post(`/v1/devices/${world.ids[3]}/jobs`, { kind: 'move', spec: { to: 'https://192.0.2.9' } });
    await expect(wish).rejects.toMatchObject({ code: 'forbidden', problem: { permission: 'device.trust' } });
    const { api: once } = await addPerson(world.gateway, 'Leo', [{ role: 'operator' }], {});
    const stale = once.post(`/v1/devices/${world.ids[3]}/jobs`, { kind: 'move', spec: { to: 'https://192.0.2.9' } });
    await expect(stale).rejects.toMatchObject({ code: 'step_up_required' });
  });

  it.each(['https://169.254.169.254', 'no address'])('changes nothing where no device can be: %s', async (to) => {
    expect(await run(4, { to })).toMatchObject({ outcome: 'not_executed', failure: { code: 'base_url_refused' } });
    expect(await addresses(4)).toEqual({ base: world.fleet.devices[4]!.baseUrl, spare: null });
  });
});
