import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { type TestApi } from '../support/test-api.js';
import { type JobRow } from '../../src/jobs/rows/job.entity.js';
import { SealedValuesService } from '../../src/jobs/sealed-values/sealed-values.service.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type Person } from '../support/people.js';

describe('the list of certificates', () => {
  let world: TestGateway;
  beforeAll(async () => {
    world = await startTestGateway({ ROLE: 'api' });
    const db = world.gateway.app.get(DataSource);
    for (const [name, years] of [
      ['pump-1', 1],
      ['pump-2', 3],
      ['office', 2],
    ] as const) {
      const device = { name, baseUrl: `https://${name}.test`, tags: [name.split('-')[0]] };
      const { id } = await world.api.post<{ id: string }>('/v1/devices', device);
      await db.query(
        `insert into device_certificate values
           ($1, 'ca.cert.pem', 'ca', 'CN=ca', 'CN=ca', '2026-01-01', $2, repeat('ab', 32), '2026-01-01', $3)`,
        [id, `${2026 + years}-01-01`, randomUUID()],
      );
    }
  });
  afterAll(() => world.close());

  const names = async (query: string) => {
    const page = await world.api.get<{ items: { deviceName: string }[]; next: string | null }>(
      `/v1/certificates${query}`,
    );
    return page.items.map(({ deviceName }) => deviceName);
  };

  it('begins with those that end first', async () => {
    expect(await names('')).toEqual(['pump-1', 'office', 'pump-2']);
  });

  it('names those that end before an instant, on devices of a selector', async () => {
    expect(await names('?expiresBefore=2028-06-01T00:00:00Z')).toEqual(['pump-1', 'office']);
    expect(await names('?expiresBefore=2028-06-01T00:00:00Z&selector=tag:pump')).toEqual(['pump-1']);
    expect(await names('?device=name:office')).toEqual(['office']);
  });

  it('comes in pages', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: { deviceName: string }[]; next: string | null } = await world.api.get(
        `/v1/certificates?limit=1${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...page.items.map(({ deviceName }) => deviceName));
      cursor = page.next;
    }
    expect(seen).toEqual(['pump-1', 'office', 'pump-2']);
  });
});

describe('sealed values', () => {
  let world: TestGateway;
  beforeAll(async () => {
    world = await startTestGateway({ ROLE: 'api' });
  });
  afterAll(() => world.close());

  it('are given, listed without what they hold, opened by those who may, and removed', async () => {
    const given = await world
      .as('operator')
      .post<{ id: string }>('/v1/sealed-values', { label: 'ops', value: 'Hush-123' });
    const list = await world.as('operator').get<object>('/v1/sealed-values');
    expect(JSON.stringify([given, list])).not.toContain('Hush-123');
    await expect(world.as('operator').post(`/v1/sealed-values/${given.id}/open`)).rejects.toMatchObject({
      status: 403,
    });
    expect(await world.api.post(`/v1/sealed-values/${given.id}/open`)).toMatchObject({
      label: 'ops',
      value: 'Hush-123',
    });
    await world.as('operator').send('DELETE', `/v1/sealed-values/${given.id}`);
    await expect(world.api.post(`/v1/sealed-values/${given.id}/open`)).rejects.toMatchObject({ status: 404 });
  });

  it('leave each giving, opening and removal in the audit, without what they hold', async () => {
    const rows = await world.gateway.app
      .get(DataSource)
      .query<{ action: string }[]>(
        `select action, facts from audit_entry where action like 'sealed_value.%' order by opened_at`,
      );
    expect(rows.map(({ action }) => action)).toEqual(['sealed_value.give', 'sealed_value.open', 'sealed_value.remove']);
    expect(JSON.stringify(rows)).not.toContain('Hush-123');
  });

  it('are opened after a second factor only', async () => {
    const given = await world.api.post<{ id: string }>('/v1/sealed-values', { label: 'ops', value: 'Hush-123' });
    const plain = await addPerson(world, 'Sam', [{ role: 'security' }], {});
    const open = (api: TestApi) => api.post(`/v1/sealed-values/${given.id}/open`);
    await expect(open(plain.api)).rejects.toMatchObject({ code: 'step_up_required' });
    const fresh = await addKey(world, plain.operatorId, { stepUp: true });
    expect(await open(fresh.api)).toMatchObject({ value: 'Hush-123' });
    await world.api.send('DELETE', `/v1/sealed-values/${given.id}`);
  });

  it('that somebody gave are used by their own jobs alone', async () => {
    const giver = await addPerson(world, 'Gus', [{ role: 'deployer' }]);
    const other = await addPerson(world, 'Olga', [{ role: 'deployer' }]);
    const given = await giver.api.post<{ id: string }>('/v1/sealed-values', { label: 'ops', value: 'Hush-123' });
    const values = world.gateway.app.get(SealedValuesService);
    const jobOf = ({ operatorId }: Person) => ({ id: randomUUID(), deviceId: randomUUID(), operatorId }) as JobRow;
    await expect(values.openFor(jobOf(giver), given.id)).resolves.toBe('Hush-123');
    await expect(values.openFor(jobOf(other), given.id)).rejects.toMatchObject({ code: 'sealed_value_not_found' });
    await giver.api.send('DELETE', `/v1/sealed-values/${given.id}`);
  });
});
