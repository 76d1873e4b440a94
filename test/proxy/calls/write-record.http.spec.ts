import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusals } from '../../../src/audit/entries/refusals.js';
import { Sequencer } from '../../../src/audit/log/sequencer.js';
import { TestApi } from '../../support/test-api.js';
import { startProxyWorld, type AuditLine, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* What the audit remembers of a write on a device, of a fan-out, and of who was refused. */

interface Entry {
  readonly subject: string;
  readonly deviceId: string | null;
  readonly operationId: string | null;
  readonly actor: string;
  readonly facts: Record<string, unknown>;
}

let proxy: ProxyWorld;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
});
afterAll(() => proxy.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const list = async (query: string) => (await proxy.world.api.get<{ items: Entry[] }>(`/v1/audit?${query}`)).items;

async function lastWrite(index: number): Promise<AuditLine> {
  await until(async () => (await proxy.audit(index)).at(-1)?.outcome !== null);
  return (await proxy.audit(index)).at(-1)!;
}

describe('the entry of a write', () => {
  it('says what was asked for without its secrets, and what the device answered', async () => {
    const asked = { data: { username: 'eve', password: 'Abcdefg1!', group: 'user' } };
    const answer = await proxy.ask(0, 'POST', '/api/users/config', { body: JSON.stringify(asked), headers: JSON_TYPE });
    const line = await lastWrite(0);
    expect(line.facts['requested']).toEqual({
      data: { username: 'eve', password: expect.stringMatching(/^hmac:[0-9a-f]{16}$/), group: 'user' },
    });
    expect(line.facts['body']).toMatchObject({ bytes: JSON.stringify(asked).length });
    expect(line.outcomeFacts).toEqual({
      deviceStatus: answer.status,
      answer: {
        bytes: answer.bytes.length,
        sha256: createHash('sha256').update(answer.bytes).digest('hex'),
        ms: expect.any(Number),
      },
    });
  });

  it('has the fingerprint alone of a body that is large', async () => {
    const body = JSON.stringify({ data: { note: 'x'.repeat(20_000) } });
    await proxy.ask(0, 'PUT', '/api/users/config/1', { body, headers: JSON_TYPE });
    const { facts } = await lastWrite(0);
    expect(facts).toMatchObject({ body: { bytes: body.length } });
    expect(facts).not.toHaveProperty('requested');
  });

  it('of a bulk request says what each item asked for', async () => {
    const data = [
      { endpoint: '/users/config', method: 'GET' },
      {
        endpoint: '/users/config',
        method: 'POST',
        data: { username: 'ann', password: 'Hunter2-hunter2', group: 'user' },
      },
    ];
    await proxy.ask(1, 'POST', '/api/bulk', { body: JSON.stringify({ data }), headers: JSON_TYPE });
    const { facts, subject } = await lastWrite(1);
    expect(subject).toBe('POST /api/users/config');
    expect(facts).toMatchObject({ bulkItem: 1, requested: { username: 'ann', group: 'user' } });
    expect(JSON.stringify(facts)).not.toContain('Hunter2');
  });
});

describe('a fan-out that writes', () => {
  it('is found in the audit by its operation, and by nothing else', async () => {
    const api = new TestApi({ url: proxy.world.url, key: proxy.world.keys.operator });
    const request = { method: 'PUT', path: '/api/users/config/1', json: { data: { group: 'root' } } };
    const answer = await api.send<string>(
      'POST',
      '/v1/fan-out',
      { selector: 'name:*', request },
      { 'idempotency-key': 'fan-out-1' },
    );
    const summary = JSON.parse(answer.body.trim().split('\n').at(-1)!) as { type: string; operationId: string };
    expect(summary.type).toBe('summary');
    const entries = await list(`operation=${summary.operationId}`);
    expect(entries).toHaveLength(proxy.ids.length);
    expect(new Set(entries.map(({ deviceId }) => deviceId))).toEqual(new Set(proxy.ids));
    expect(new Set(entries.map(({ operationId }) => operationId))).toEqual(new Set([summary.operationId]));
    expect(await list('operation=6f9619ff-8b86-4d01-b42d-00cf4fc964ff')).toEqual([]);
  });
});

describe('refusals', () => {
  const refusals = () => list('action=request.refuse&outcome=refused&limit=1000');

  /** How many times nobody was refused the list of devices, in all entries; the gateway's own sweep may part them. */
  const floods = async () =>
    (await refusals())
      .filter(({ subject, actor }) => subject === 'GET /v1/devices' && actor === 'anonymous')
      .reduce((sum, { facts }) => sum + Number(facts['count']), 0);

  it('are counted, a flood of one kind in few entries', async () => {
    const before = { floods: await floods(), entries: (await refusals()).length };
    for (let index = 0; index < 20; index++) await fetch(`${proxy.world.url}/v1/devices`);
    await proxy.ask(0, 'GET', '/api/system/device/status', { role: null });
    const viewer = new TestApi({ url: proxy.world.url, key: proxy.world.keys.viewer });
    await expect(viewer.post('/v1/operators', { name: 'x', role: 'viewer' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await proxy.world.gateway.app.get(Refusals).sweep();
    const all = await refusals(); // the newest first
    const entries = all.slice(0, all.length - before.entries);
    expect(await floods()).toBe(before.floods + 20);
    const flood = entries.filter(({ subject }) => subject === 'GET /v1/devices');
    expect(flood.length).toBeLessThanOrEqual(5);
    expect(flood[0]).toMatchObject({ actor: 'anonymous', facts: { code: 'unauthenticated' } });
    expect(entries).toContainEqual(
      expect.objectContaining({ subject: 'POST /v1/operators', actor: expect.stringMatching(/^key:/) }),
    );
    expect(entries.filter(({ subject }) => subject.includes('/api/'))).toHaveLength(1);
    await proxy.world.gateway.app.get(Refusals).sweep();
    expect(await refusals()).toHaveLength(all.length);
  });
});

describe('the log of a gateway that was used', () => {
  it('holds', async () => {
    await proxy.world.gateway.app.get(Sequencer).catchUp();
    const lines = [];
    for await (const line of proxy.world.api.lines<{ type: string; holds?: boolean }>('POST', '/v1/audit/verify', {})) {
      lines.push(line);
    }
    expect(lines.at(-1)).toMatchObject({ type: 'summary', holds: true, findings: 0 });
  });
});
