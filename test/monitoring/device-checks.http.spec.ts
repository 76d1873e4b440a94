import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { type ProxyWorld, startProxyWorld } from '../proxy/proxy-world.js';
import { untilKnown } from '../support/devices/known-device.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';

/* A person asks a device whether it answers, and sees how far the gateway came. */

interface Check {
  readonly answered: boolean;
  readonly state: string;
  readonly stages: readonly { stage: string; outcome: string; ms: number | null; detail: string | null }[];
}

let proxy: ProxyWorld;
let db: DataSource;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
  db = proxy.world.gateway.app.get(DataSource);
  Object.assign(proxy.world.gateway.app.get(ReachabilityWatch), { wasLateSince: () => false });
  await db.query(`update device set site = case when id = $1 then 'b' else 'a' end`, [proxy.ids[2]]);
});
afterAll(async () => {
  await proxy.close();
});

const check = (index: number, api: TestApi = proxy.world.api) =>
  api.post<Check>(`/v1/devices/${proxy.ids[index]}/check`);
const outcomes = ({ stages }: Check) => stages.map(({ stage, outcome }) => `${stage} ${outcome}`);
const logins = () => [0, 1, 2].map((index) => proxy.fleet.ledger.summary(index).logins);

describe('a check by hand', () => {
  it('shows each stage, makes the device online, and sends no login', async () => {
    const found = await check(0);

    expect(found).toMatchObject({ answered: true, state: 'online' });
    expect(outcomes(found)).toEqual(['name skipped', 'tcp passed', 'tls passed', 'answer passed', 'login skipped']);
    for (const { outcome, ms } of found.stages.slice(1, 4))
      expect([outcome, ms]).toEqual(['passed', expect.any(Number)]);
    expect(logins()).toEqual([0, 0, 0]);
  });

  it('says where the way ended, and counts like a check of the gateway', async () => {
    expect((await check(1)).state).toBe('online');
    const rule = proxy.fleet.devices[1]!.faults.add({ kind: 'refuse' });

    const first = await check(1);
    const second = await check(1);

    expect(outcomes(first)).toContain('tcp failed');
    expect(first.state).toBe('online');
    expect(second).toMatchObject({ answered: false, state: 'offline' });
    proxy.fleet.devices[1]!.faults.remove(rule);
    expect(await check(1)).toMatchObject({ answered: true, state: 'online' });
  });

  it('does not send anything while a person has to decide about the certificate', async () => {
    await db.query(`update device set state = 'trust_changed', offered_pin = 'sha256/x' where id = $1`, [proxy.ids[2]]);
    await untilKnown(proxy.world, `${proxy.ids[2]}`, { state: 'trust_changed' });
    await expect(check(2)).rejects.toMatchObject({ status: 502, code: 'device_trust_changed' });
  });
});

describe('what is known without a check', () => {
  const read = (index: number, api: TestApi = proxy.world.api) =>
    api.get<{ since: string | null; neighbours: object[] }>(`/v1/devices/${proxy.ids[index]}/check`);

  it('counts the other devices at the site and in the network', async () => {
    await db.query(`update device set state = case when id = $1 then 'offline' else 'online' end`, [proxy.ids[1]]);
    const { since, neighbours } = await read(0);
    expect(since).toEqual(expect.any(String));
    expect(neighbours).toEqual([
      { by: 'site', name: 'a', devices: 1, online: 0, offline: 1, others: [] },
      {
        by: 'network',
        name: expect.stringMatching(/^127\.[\d.]+\.0\/24$/),
        devices: 2,
        online: 1,
        offline: 1,
        others: [],
      },
    ]);
    await db.query(`update device set state = 'trust_changed' where id = $1`, [proxy.ids[2]]);
    const { name } = await proxy.world.api.get<{ name: string }>(`/v1/devices/${proxy.ids[2]}`);
    expect((await read(0)).neighbours).toContainEqual(
      expect.objectContaining({ online: 0, offline: 1, others: [{ id: proxy.ids[2], name }] }),
    );
  });

  it('does not count what the caller may not see', async () => {
    const { api } = await addPerson(proxy.world, 'Olga', [{ role: 'viewer', selector: 'site:b' }]);
    expect((await read(2, api)).neighbours).toEqual([]);
    await expect(read(0, api)).rejects.toMatchObject({ status: 404, code: 'device_not_found' });
  });
});
