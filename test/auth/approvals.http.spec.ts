import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api-client/api-error.js';
import { type TestApi } from '../support/test-api.js';
import { startProxyWorld, type ProxyWorld } from '../proxy/proxy-world.js';
import { postAndLeave } from '../support/devices/early-leaver.js';
import { addKey, addPerson, type Person, type PersonsKey } from '../support/people.js';
import { until } from '../support/until.js';

/* Writes to many devices wait for a second person. */

const PATH = '/api/wireguard/config';

let world: ProxyWorld;
let sender: Person;
let second: Person;
let count = 0;

beforeAll(async () => {
  world = await startProxyWorld({ devices: 3, profile: 'rutos', timeScale: 200 }, { APPROVAL_DEVICES: '2' });
  sender = await addPerson(world.world, 'Sven', [{ role: 'operator' }]);
  second = await addPerson(world.world, 'Tina', [{ role: 'security' }]);
});
afterAll(() => world.close());

/** A write that was not asked for before. */
const newWrite = (selector = 'all') => ({
  selector,
  request: { method: 'POST', path: PATH, json: { data: { id: `wg${++count}` } } },
});

const send = (api: TestApi, body: object, approvalId?: string) =>
  api.send<string>('POST', '/v1/fan-out', body, {
    'idempotency-key': `key-of-mine-${++count}`,
    ...(approvalId ? { 'approval-id': approvalId } : {}),
  });

async function problem(request: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).problem;
}

const ask = async (body: object) => String((await problem(send(sender.api, body)))['approvalId']);
const decide = (person: PersonsKey, id: string, verb: 'approve' | 'reject') =>
  person.api.post<Record<string, unknown>>(`/v1/approvals/${id}/${verb}`);
/** A device that is registered later, and nowhere. */
async function laterDevice(...tags: string[]): Promise<string> {
  const name = `later-${++count}`;
  const { id } = await world.world.api.post<{ id: string }>('/v1/devices', {
    name, baseUrl: `https://192.0.2.7:${8_000 + count}`, tags, credentials: { username: 'a', password: 'b' },
  }); // prettier-ignore
  return id;
}
const writes = () => world.fleet.ledger.entries({ path: PATH }).length;

describe('a fan-out that writes to more devices than the setting says', () => {
  it('calls nobody until another person has approved it, and then once', async () => {
    const body = newWrite();
    const before = writes();
    const refused = await problem(send(sender.api, body));
    expect(refused).toMatchObject({ status: 409, code: 'approval_required', devices: 3, limit: 2 });
    const id = String(refused['approvalId']);
    expect(await ask(body)).toBe(id); // asked again, it is the same
    expect(await problem(send(sender.api, body, id))).toMatchObject({ code: 'approval_over', state: 'pending' });
    expect(await problem(decide(sender, id, 'approve'))).toMatchObject({ code: 'forbidden' });
    expect(writes()).toBe(before);

    expect(await second.api.get(`/v1/approvals/${id}`)).toMatchObject({
      state: 'pending', devices: 3, requestedByName: sender.name,
      summary: { selector: 'all', requests: [{ method: 'POST', path: PATH }] },
    }); // prettier-ignore
    expect(await decide(second, id, 'approve')).toMatchObject({ state: 'approved', decidedByName: second.name });
    const { body: lines } = await send(sender.api, body, id);
    expect(lines).toContain('"succeeded":3');
    expect(writes()).toBe(before + 3);
    expect(await problem(send(sender.api, body, id))).toMatchObject({ code: 'approval_over', state: 'used' });
    expect(writes()).toBe(before + 3);
    const { items } = await world.world.api.get<{ items: { action: string; actorName: string; subject: string }[] }>(
      '/v1/audit?action=approval.*',
    );
    const own = items.filter(({ subject }) => subject === `approval:${id}`).toReversed();
    expect(own.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['approval.ask', sender.name], ['approval.ask', sender.name],
      ['approval.approve', second.name], ['approval.use', sender.name],
    ]); // prettier-ignore
  });

  it('stays approved when its sender left before it began', async () => {
    const body = newWrite();
    const id = await ask(body);
    await decide(second, id, 'approve');
    const before = writes();
    const key = `left-at-once-${++count}`;
    await postAndLeave(world.world, `select from approval where id = '${id}' for update`, {
      path: '/v1/fan-out',
      key: sender.key,
      json: body,
      headers: { 'idempotency-key': key, 'approval-id': id },
    });
    const again = () =>
      sender.api.send<string>('POST', '/v1/fan-out', body, { 'idempotency-key': key, 'approval-id': id });
    const isOver = (error: ApiError) => (error.code === 'idempotency_key_running' ? null : Promise.reject(error));
    const answer = await until(() => again().catch(isOver));
    expect(answer.body).toContain('"succeeded":3');
    expect(writes()).toBe(before + 3);
  });

  it('is approved as it is: another request, another person, more devices are not', async () => {
    const later = `later-${++count}`;
    const some = `id:${world.ids[0]} | id:${world.ids[1]} | tag:${later} | tag:now`;
    await world.world.api.send('PATCH', `/v1/devices/${world.ids[2]}`, { tags: ['now'] });
    const body = newWrite(some);
    const id = await ask(body);
    await decide(second, id, 'approve');
    expect(await problem(send(sender.api, newWrite(some), id))).toMatchObject({ code: 'approval_mismatch' });
    const third = await addPerson(world.world, 'Ulla', [{ role: 'operator' }]);
    expect(await problem(send(third.api, body, id))).toMatchObject({ code: 'approval_not_found' });
    await laterDevice(later);
    expect(await problem(send(sender.api, body, id))).toMatchObject({ code: 'approval_mismatch', approvedDevices: 3 });
  });

  it('is approved for these devices, not for as many others', async () => {
    const meant = `meant-${++count}`;
    const other = await laterDevice();
    const some = `id:${world.ids[0]} | id:${world.ids[1]} | tag:${meant}`;
    const tag = (device: string, ...tags: string[]) => world.world.api.send('PATCH', `/v1/devices/${device}`, { tags });
    await tag(world.ids[2]!, meant);
    const body = newWrite(some);
    const id = await ask(body);
    await decide(second, id, 'approve');
    await tag(world.ids[2]!);
    await tag(other, meant);
    const before = writes();
    expect(await problem(send(sender.api, body, id))).toMatchObject({
      code: 'approval_mismatch', approvedDevices: 3, devices: 3, notApproved: 1,
    }); // prettier-ignore
    expect(writes()).toBe(before);
    await tag(other);
    await tag(world.ids[2]!, meant);
    expect((await send(sender.api, body, id)).status).toBe(200); // named again, and not used up by the refusal
  });

  it('is asked for anew when it names other devices by now, so that it does not grow while it is read', async () => {
    const meant = `meant-${++count}`;
    const body = newWrite(`${world.ids.map((id) => `id:${id}`).join(' | ')} | tag:${meant}`);
    const read = await ask(body);
    await laterDevice(meant);
    const larger = await ask(body);
    expect(larger).not.toBe(read);
    expect(await problem(decide(second, read, 'approve'))).toMatchObject({ code: 'approval_over' });
    expect(await second.api.get(`/v1/approvals/${read}`)).toMatchObject({ state: 'rejected', devices: 3 });
    expect(await second.api.get(`/v1/approvals/${larger}`)).toMatchObject({ state: 'pending', devices: 4 });
    expect(await ask(body)).toBe(larger);
  });

  it('is not approved by its own sender, whatever key they use', async () => {
    const both = await addPerson(world.world, 'Vito', [{ role: 'administrator' }]);
    const body = newWrite();
    const { approvalId } = (await problem(send(both.api, body))) as { approvalId: string };
    const otherKey = await addKey(world.world, both.operatorId, { stepUp: true });
    expect(await problem(decide(otherKey, approvalId, 'approve'))).toMatchObject({ code: 'approval_own' });
    expect(await decide(otherKey, approvalId, 'reject')).toMatchObject({ state: 'rejected', decidedByName: both.name });
    expect(await problem(send(both.api, body, approvalId))).toMatchObject({ code: 'approval_over', state: 'rejected' });
  });

  it('ends after a day', async () => {
    const body = newWrite();
    const id = await ask(body);
    await decide(second, id, 'approve');
    world.clock.pass(25 * 3_600_000);
    expect(await problem(send(sender.api, body, id))).toMatchObject({ code: 'approval_over' });
  });
});

describe('no approval is wanted', () => {
  it('for reads, for dry runs, and for writes to few devices', async () => {
    const read = { selector: 'all', request: { method: 'GET', path: PATH } };
    for (const body of [read, { ...newWrite(), dryRun: true }, newWrite(`id:${world.ids[0]}`)]) {
      expect((await send(sender.api, body)).status).toBe(200);
    }
  });
});

describe('the list of approvals', () => {
  it('tells a person who sees some devices of no others, and does not let them approve for others', async () => {
    const [mine, other] = [`mine-${++count}`, `other-${++count}`];
    const seen = await laterDevice(mine);
    for (let device = 0; device < 3; device++) await laterDevice(other);
    const mixed = await ask(newWrite(`id:${seen} | tag:${other}`));
    const hidden = await ask(newWrite(`tag:${other}`));
    await world.world.api.send('PUT', `/v1/roles/${mine}`, {
      rules: [
        { effect: 'allow', permissions: ['approval.*'] },
        { effect: 'allow', permissions: ['device.read'], selector: `tag:${mine}` },
      ],
    });
    const narrow = await addPerson(world.world, 'Nora', [{ role: mine }]);
    const { items } = await narrow.api.get<{ items: { id: string }[] }>('/v1/approvals?state=pending');
    expect(items.map(({ id }) => id)).toEqual([mixed]);
    expect(await narrow.api.get(`/v1/approvals/${mixed}`)).toMatchObject({ devices: 1, summary: { selector: null } });
    const notFound = { code: 'approval_not_found' };
    expect(await problem(narrow.api.get(`/v1/approvals/${hidden}`))).toMatchObject(notFound);
    for (const verb of ['approve', 'reject'] as const) {
      expect(await problem(decide(narrow, hidden, verb))).toMatchObject(notFound);
    }
    expect(await problem(decide(narrow, mixed, 'approve'))).toMatchObject({ code: 'forbidden' });
    expect(await decide(narrow, mixed, 'reject')).toMatchObject({ state: 'rejected', devices: 1 });
  });

  it('is for those who may read it', async () => {
    const body = newWrite(world.ids.map((id) => `id:${id}`).join(' | '));
    const [used, pending] = [await ask(body), await ask(newWrite())];
    await decide(second, used, 'approve');
    await send(sender.api, body, used);
    const { items } = await second.api.get<{ items: { id: string }[] }>('/v1/approvals?state=used');
    const ids = items.map(({ id }) => id);
    expect(ids).toContain(used);
    expect(ids).not.toContain(pending);
    const viewer = await addPerson(world.world, 'Vera', [{ role: 'viewer' }]);
    expect(await problem(viewer.api.get('/v1/approvals'))).toMatchObject({ code: 'forbidden' });
    expect(await problem(second.api.get('/v1/approvals/6f9619ff-8b86-4d01-b42d-00cf4fc964ff'))).toMatchObject({
      code: 'approval_not_found',
    });
  });
});
