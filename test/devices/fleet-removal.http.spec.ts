import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

/* Removing all devices of a selector: only those that the caller has seen, only all of them, and with an entry for each. */

const APPROVAL_DEVICES = 3;

let world: TestGateway;
let db: pg.Client;
let operator: TestApi;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', APPROVAL_DEVICES: String(APPROVAL_DEVICES) });
  operator = world.as('operator');
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});
beforeEach(async () => {
  await db.query('delete from job');
  await db.query('delete from device');
  for (let index = 0; index < 4; index++) await register(index, index < 2 ? 'alpha' : 'beta');
});

const register = (index: number, tag: string) =>
  operator.post<{ id: string }>('/v1/devices', {
    name: `${tag}-${index}`,
    baseUrl: `https://127.0.0.1:${index + 1}`,
    tags: [tag],
    credentials: { username: 'admin', password: 'a quiet password' },
  });
const preview = (selector: string, api = operator) =>
  api.post<{ matched: number; digest: string }>('/v1/devices/delete', { selector, dryRun: true });
const remove = async (
  selector: string,
  expectedDigest: string,
  api = operator,
  headers: Record<string, string> = {},
): Promise<object> =>
  (await api.send<object>('POST', '/v1/devices/delete', { selector, expectedDigest }, headers)).body;
const names = async () =>
  (await db.query<{ name: string }>('select name from device order by name')).rows.map(({ name }) => name);
const ALL = ['alpha-0', 'alpha-1', 'beta-2', 'beta-3'];

describe('removing the devices of a selector', () => {
  it('removes those of the preview, with an audit entry for each', async () => {
    const { matched, digest } = await preview('tag:alpha');
    expect(matched).toBe(2);
    expect(await names()).toEqual(ALL);
    expect(await remove('tag:alpha', digest)).toEqual({ dryRun: false, matched: 2, digest, removed: 2 });
    expect(await names()).toEqual(['beta-2', 'beta-3']);
    const sql = `select facts->'before'->>'name' as name from audit_entry
                  where action = 'device.remove' and facts->>'digest' = $1 order by 1`;
    expect((await db.query(sql, [digest])).rows).toEqual([{ name: 'alpha-0' }, { name: 'alpha-1' }]);
    await expect(operator.get('/v1/devices/name:alpha-0')).rejects.toMatchObject({ code: 'device_not_found' });
  });

  it('does nothing when the selector names other devices by then', async () => {
    const { digest } = await preview('tag:alpha');
    await register(7, 'alpha');
    const late = remove('tag:alpha', digest);
    await expect(late).rejects.toMatchObject({ status: 409, code: 'selection_changed', problem: { matched: 3 } });
    expect(await names()).toHaveLength(5);
    await expect(operator.post('/v1/devices/delete', { selector: 'tag:alpha' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('does nothing when one of them may not be removed', async () => {
    await world.api.send('PUT', '/v1/roles/narrow', {
      rules: [
        { effect: 'allow', permissions: ['device.read'] },
        { effect: 'allow', permissions: ['device.manage'], selector: 'name:alpha-0' },
      ],
    });
    const narrow = await addPerson(world, 'Nina', [{ role: 'narrow' }]);
    const { digest } = await preview('tag:alpha', narrow.api);
    await expect(remove('tag:alpha', digest, narrow.api)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await names()).toEqual(ALL);
  });

  it('names no device out of sight', async () => {
    await world.api.send('PUT', '/v1/roles/alphas', {
      rules: [{ effect: 'allow', permissions: ['device.read', 'device.manage'], selector: 'tag:alpha' }],
    });
    const alpha = await addPerson(world, 'Alma', [{ role: 'alphas' }]);
    const { matched, digest } = await preview('all', alpha.api);
    expect(matched).toBe(2);
    expect(await remove('all', digest, alpha.api)).toMatchObject({ removed: 2 });
    expect(await names()).toEqual(['beta-2', 'beta-3']);
  });

  it('does nothing when one of them is locked or has an open job', async () => {
    const { digest } = await preview('tag:alpha');
    const lock = { kind: 'device', target: 'name:alpha-1', reason: 'test' };
    const { id } = await world.api.post<{ id: string }>('/v1/locks', lock);
    await expect(remove('tag:alpha', digest)).rejects.toMatchObject({ code: 'locked' });
    await world.api.send('DELETE', `/v1/locks/${id}`);
    await operator.post('/v1/devices/name:alpha-1/jobs', { kind: 'backup' });
    await expect(remove('tag:alpha', digest)).rejects.toMatchObject({ code: 'device_in_use' });
    expect(await names()).toEqual(ALL);
  });

  it('asks for a second factor', async () => {
    const plain = await addPerson(world, 'Pia', [{ role: 'operator' }], {});
    const { digest } = await preview('tag:alpha', plain.api);
    await expect(remove('tag:alpha', digest, plain.api)).rejects.toMatchObject({ code: 'step_up_required' });
    expect(await names()).toEqual(ALL);
  });

  it('asks for the approval of a second person for many, which a refusal leaves as it was', async () => {
    const { digest } = await preview('all');
    const asked = await remove('all', digest).catch((error: { problem: { approvalId: string } }) => error);
    expect(asked).toMatchObject({ code: 'approval_required', problem: { devices: 4, limit: APPROVAL_DEVICES } });
    expect(await names()).toEqual(ALL);
    const { approvalId } = (asked as { problem: { approvalId: string } }).problem;
    const approver = await addPerson(world, 'Omar', [{ role: 'security' }]);
    await approver.api.post(`/v1/approvals/${approvalId}/approve`, {});
    const job = await operator.post<{ id: string }>('/v1/devices/name:beta-3/jobs', { kind: 'backup' });
    const approved = { 'approval-id': approvalId };
    await expect(remove('all', digest, operator, approved)).rejects.toMatchObject({ code: 'device_in_use' });
    await db.query('delete from job where id = $1', [job.id]);
    expect(await remove('all', digest, operator, approved)).toMatchObject({ removed: 4 });
    expect(await names()).toEqual([]);
  });
});
