import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '../../../src/platform/actor.js';
import { type AppError } from '../../../src/platform/errors.js';
import { ProxyGateway, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* What a caller and the audit learn when the connection does not hold. */

interface Session {
  readonly breaker: { readonly state: string };
  readonly slots: { readonly read: { readonly waiting: number } };
}

let gateway: ProxyGateway;
let proxy: ProxyWorld;

beforeAll(async () => {
  gateway = await ProxyGateway.start();
});
afterAll(() => gateway.close());

afterEach(async () => {
  await proxy.close();
});

const USER = { data: { username: 'eve', password: 'Abcdefg1!', group: 'user' } };
const create = { method: 'POST', path: '/api/users/config', json: USER } as const;

describe('a write whose answer is lost', () => {
  it.each([
    ['after it took effect', 'lost-answer', 1],
    ['before it took effect', 'reset-before', 0],
    ['in the middle of the answer', 'reset-mid-answer', 1],
  ] as const)('%s ends as unknown, is audited so, and is not sent again', async (_when, kind, effects) => {
    proxy = await gateway.connect({ devices: 1, profile: 'rutos', faults: [{ kind, path: '/api/users/config' }] });

    const error = await proxy.calls.call(proxy.ids[0]!, create, { actor: proxy.actor }).catch((e: AppError) => e);

    expect(error).toMatchObject({ code: 'device_outcome_unknown', retryable: false });
    expect(proxy.fleet.ledger.entries({ method: 'POST', path: '/api/users' })).toHaveLength(1);
    expect(proxy.fleet.ledger.summary(0).effects['create'] ?? 0).toBe(effects);
    expect(await proxy.audit(0)).toMatchObject([{ subject: 'POST /api/users/config', outcome: 'unknown' }]);
  });

  it('is a problem with its own code at the passthrough', async () => {
    proxy = await gateway.connect({
      devices: 1,
      faults: [{ kind: 'lost-answer', method: 'POST', path: '/api/users/config' }],
    });

    const answer = await proxy.ask(0, 'POST', '/api/users/config', { body: JSON.stringify(USER) });

    expect(answer.json).toMatchObject({ status: 502, code: 'device_outcome_unknown' });
    expect(answer.headers['proxy-status']).toBe(
      'fleetgate; error=http_response_incomplete; details="device_outcome_unknown"',
    );
    await until(async () => (await proxy.audit(0))[0]?.outcome === 'unknown');
  });

  it('is known when nothing was sent', async () => {
    proxy = await gateway.connect({ devices: 1, faults: [{ kind: 'refuse' }] });

    const error = await proxy.calls.call(proxy.ids[0]!, create, { actor: proxy.actor }).catch((e: AppError) => e);

    expect(error).toMatchObject({ code: 'device_unreachable' });
    expect(await proxy.audit(0)).toMatchObject([{ outcome: 'failed', outcomeFacts: { sent: false } }]);
  });
});

describe('a read whose answer is lost', () => {
  it('is made again, twice at most', async () => {
    proxy = await gateway.connect({
      devices: 2,
      groups: [],
      faults: [{ kind: 'lost-answer', path: '/api/system/device/status', count: 2 }],
    });

    expect((await proxy.ask(0, 'GET', '/api/system/device/status')).status).toBe(200);
    expect(proxy.fleet.ledger.entries({ device: 0, path: '/api/system/device/status' })).toHaveLength(3);

    proxy.fleet.devices[1]!.faults.clear();
    proxy.fleet.devices[1]!.faults.add({ kind: 'lost-answer', path: '/api/system/device/status' });
    expect((await proxy.ask(1, 'GET', '/api/system/device/status')).json).toMatchObject({ code: 'device_answer_cut' });
    expect(proxy.fleet.ledger.entries({ device: 1, path: '/api/system/device/status' })).toHaveLength(3);
  });

  it('is cut for the caller, not completed, when it breaks off on its way through', async () => {
    proxy = await gateway.connect({
      devices: 1,
      faults: [{ kind: 'reset-mid-answer', path: '/api/system/device/status' }],
    });

    await expect(proxy.ask(0, 'GET', '/api/system/device/status')).rejects.toThrow(/aborted|ECONNRESET|socket hang up/);
  });
});

describe('a device that fails all the time', () => {
  it('is left alone by the breaker, and answers a person again one second after it is back', async () => {
    proxy = await gateway.connect({ devices: 1 });
    const id = proxy.ids[0]!;
    const rule = proxy.fleet.devices[0]!.faults.add({ kind: 'refuse' });
    for (let call = 0; call < 3; call++) await proxy.ask(0, 'GET', '/api/system/device/status');

    const open = await until(async () => {
      const answer = await proxy.ask(0, 'GET', '/api/system/device/status');
      return answer.status === 503 && answer;
    });
    expect(open.json).toMatchObject({ status: 503, code: 'device_circuit_open' });
    expect(open.headers['retry-after']).toBe('1');
    expect(await proxy.world.api.get(`/v1/devices/${id}`)).toMatchObject({ state: 'offline' });

    proxy.fleet.devices[0]!.faults.remove(rule);
    const job = { actor: proxy.actor, inBackground: true };
    const read = { method: 'GET', path: '/api/system/device/status' } as const;
    await expect(proxy.calls.call(id, read, job)).rejects.toMatchObject({ code: 'device_circuit_open' });
    proxy.clock.pass(1_000);
    expect((await proxy.ask(0, 'GET', '/api/system/device/status')).status).toBe(200);
    expect((await proxy.calls.call(id, read, job)).status).toBe(200);
    await until(async () => (await proxy.world.api.get<{ state: string }>(`/v1/devices/${id}`)).state === 'online');
  });

  it('stays open for writes and for other paths when reads of one path hang', async () => {
    const hanging = '/api/firmware/device/status';
    proxy = await gateway.connect({ devices: 1, faults: [{ kind: 'hang', path: hanging }] });
    const read = (path: string) =>
      proxy.calls
        .call(proxy.ids[0]!, { method: 'GET', path, deadlineMs: 300 }, { actor: proxy.actor })
        .catch((error: AppError) => error.code);
    expect((await proxy.ask(0, 'GET', '/api/system/device/status')).status).toBe(200);
    for (let call = 0; call < 12; call++) expect(await read(`${hanging}?page=${call}`)).toBe('device_timeout');

    expect((await proxy.ask(0, 'GET', '/api/system/device/status')).status).toBe(200);
    const headers = { 'content-type': 'application/json' };
    const written = await proxy.ask(0, 'POST', '/api/users/config', { body: JSON.stringify(create.json), headers });
    expect(written.status).toBeLessThan(300);
  });

  it.each(['read', 'write', 'cold read'])(
    'is left alone after three calls where it hangs on everything: %s',
    async (kind) => {
      proxy = await gateway.connect({ devices: 1 });
      const id = proxy.ids[0]!;
      const path = kind === 'write' ? '/api/users/config' : '/api/system/device/status';
      if (kind !== 'cold read') expect((await proxy.ask(0, 'GET', path)).status).toBe(200);
      proxy.fleet.devices[0]!.faults.add({ kind: 'hang' });
      // A write that ends before it was sent is no lost one.
      const request =
        kind === 'write'
          ? ({ method: 'POST', path, deadlineMs: 2_000 } as const)
          : ({ method: 'GET', path, deadlineMs: 200 } as const);
      const call = () => proxy.calls.call(id, request, { actor: proxy.actor }).catch(({ code }: AppError) => code);
      const lost = kind === 'write' ? 'device_outcome_unknown' : 'device_timeout';
      for (let count = 0; count < 3; count++) expect(await call()).toBe(lost);

      const sent = () => proxy.fleet.ledger.entries({}).length;
      await until(
        async () => (await proxy.world.api.get<Session>(`/v1/devices/${id}/session`)).breaker.state === 'open',
      );
      const before = sent();
      expect([await call(), await call(), sent() - before]).toEqual(['device_circuit_open', 'device_circuit_open', 0]);
    },
  );

  it('delays others by one call at most where one panel reads a path that hangs', async () => {
    const hanging = '/api/firmware/device/status';
    const path = '/api/system/device/status';
    proxy = await gateway.connect({ devices: 1, faults: [{ kind: 'hang', path: hanging }] });
    expect((await proxy.ask(0, 'GET', path)).status).toBe(200);
    const calls = Array.from({ length: 20 }, () => new AbortController());
    const panel = calls.map(({ signal }, index) =>
      proxy.calls
        .call(proxy.ids[0]!, { method: 'GET', path: `${hanging}?${index}` }, { actor: systemActor('panel'), signal })
        .catch(({ code }: AppError) => code),
    );
    const hangs = () => proxy.fleet.ledger.entries({ path: hanging }).length;
    await until(() => hangs() === 3);
    const own = { 'cache-control': 'no-cache' };
    const others = Array.from({ length: 10 }, () => proxy.ask(0, 'GET', path, { headers: own }));
    const waiting = async () =>
      (await proxy.world.api.get<Session>(`/v1/devices/${proxy.ids[0]}/session`)).slots.read.waiting;
    await until(async () => (await waiting()) === 27);

    calls[0]!.abort();

    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (const call of calls) call.abort();
    expect(new Set(await Promise.all(panel))).toEqual(new Set(['call_given_up', 'device_answer_cut']));
  });

  it('is not left alone for what it refuses', async () => {
    proxy = await gateway.connect({ devices: 1 });

    const answers = [];
    for (let call = 0; call < 12; call++) answers.push((await proxy.ask(0, 'GET', '/api/no_such/config')).status);

    expect(new Set(answers)).toEqual(new Set([400]));
  });
});

describe('a caller that goes away', () => {
  it('ends the request on the device, and a write is audited as unknown', async () => {
    proxy = await gateway.connect({ devices: 1, faults: [{ kind: 'hang', path: '/api/users/config' }] });
    const cancellation = new AbortController();
    const call = proxy.calls.call(proxy.ids[0]!, create, { actor: proxy.actor, signal: cancellation.signal });
    await until(() => proxy.fleet.ledger.entries({ path: '/api/users/config' }).length === 1);

    cancellation.abort();

    await expect(call).rejects.toMatchObject({ code: 'device_outcome_unknown' });
    expect(await proxy.audit(0)).toMatchObject([{ outcome: 'unknown' }]);
  });
});
