import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { type TestApi } from '../support/test-api.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

interface ReceivedDelivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly subject: string; readonly data: Record<string, unknown> };
}

describe('events', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let operator: TestApi;
  let db: pg.Client;
  /** Its transaction, left open, would hold back every test on this server; one whose time is over gets to no `finally`. */
  let late: pg.Client | null = null;
  let count = 0;
  const ids: string[] = [];

  beforeAll(async () => {
    fleet = await startFleet({ devices: 3, timeScale: 600 });
    test = await startTestGateway();
    operator = test.as('operator');
    db = new pg.Client({ connectionString: test.databaseUrl });
    await db.connect();
    for (const { baseUrl, username, password, index } of fleet.devices) {
      const body = { name: `router-${index}`, baseUrl, site: `site-${index}`, credentials: { username, password } };
      ids.push((await operator.post<{ id: string }>('/v1/devices', body)).id);
    }
  });
  afterAll(async () => {
    await db.end();
    await test.close();
    await fleet.close();
  });

  afterEach(async () => {
    await late?.end();
    late = null;
  });

  const backUp = (index: number) =>
    operator.send('POST', `/v1/devices/${ids[index]}/jobs`, { kind: 'backup' }, { prefer: 'wait=30' });

  /** Follows the stream until an event is the last one wanted. */
  async function follow(
    key: string,
    query: string,
    isLast: (event: StreamedEvent) => boolean,
    after?: string,
  ): Promise<StreamedEvent[]> {
    const answer = await fetch(`${test.url}/v1/events${query}`, {
      headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events: StreamedEvent[] = [];
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, id, type, data] = /^id: (\S+)\nevent: (\S+)\ndata: (.*)$/.exec(part) ?? [];
        if (id === undefined) continue;
        events.push({ id, type: type!, data: JSON.parse(data!) as StreamedEvent['data'] });
        if (isLast(events.at(-1)!)) return events; // which closes the stream
      }
    }
    throw new Error('The stream ended');
  }

  it('continue from the id with which a stream begins, before its first event', async () => {
    const opened = (after?: string) =>
      fetch(`${test.url}/v1/events`, {
        headers: {
          authorization: `Bearer ${test.keys.operator}`,
          ...(after === undefined ? {} : { 'last-event-id': after }),
        },
      });
    const first = (await opened()).body!.pipeThrough(new TextDecoderStream()).getReader();
    const [, id] = /^id: (\S+)\n\n/.exec((await first.read()).value!) ?? [];
    await first.cancel();
    const again = await opened(id);
    expect({ status: again.status, id }).toEqual({ status: 200, id: expect.stringMatching(/^\d+\.\d+$/) as string });
    await again.body!.cancel();
    const tooLarge = await opened('1.9999999999999999999');
    expect(tooLarge.status).toBe(400);
  });

  it('come as they happen, each once, and a reader that comes back misses nothing', async () => {
    const watching = follow(test.keys.operator, '?types=job.*', ({ type }) => type === 'job.ended', '0.0');
    await backUp(0);
    const events = await watching;
    expect(events.map(({ type }) => type)).toEqual(['job.started', 'job.ended']);
    expect(events[1]!.data.data).toMatchObject({ kind: 'backup', outcome: 'succeeded' });
    await backUp(1);
    const later = await follow(test.keys.operator, '?types=job.*', ({ type }) => type === 'job.ended', events[1]!.id);
    expect(later.map(({ data }) => data.subject)).not.toContain(events[0]!.data.subject);
    expect(later).toHaveLength(2);
  });

  it('are not overtaken by a transaction that commits late', async () => {
    late = new pg.Client({ connectionString: test.databaseUrl });
    await late.connect();
    await late.query('begin');
    await late.query(`insert into event (type, subject) values ('rollout.late', 'rollout:late')`);
    const { rows } = await late.query<{ tx: string }>('select pg_current_xact_id()::text as tx');
    await backUp(0); // commits events after the late one was made
    const watching = follow(test.keys.operator, '', ({ type }) => type === 'job.ended', `${rows[0]!.tx}.0`);
    await late.query('commit');
    expect((await watching)[0]!.type).toBe('rollout.late');
  });

  it('of devices that somebody does not see do not come to them', async () => {
    const { id } = await test.api.post<{ id: string }>('/v1/operators', {
      name: `narrow ${++count}`,
      role: 'viewer',
    });
    await test.api.send('PUT', `/v1/operators/${id}/roles`, { roles: [{ role: 'viewer', selector: 'site:site-2' }] });
    const { key } = await test.api.post<{ key: string }>('/v1/api-keys', { operatorId: id, name: 'narrow' });
    const watching = follow(key, '', ({ type }) => type === 'job.ended', '0.0');
    await backUp(2);
    const subjects = (await watching).map(({ data }) => data as unknown as { deviceId: string });
    expect(new Set(subjects.map(({ deviceId }) => deviceId))).toEqual(new Set([ids[2]]));
  });

  describe('sent to a webhook', () => {
    let server: Server;
    let url: string;
    let answer = 200;
    let text = '';
    let location = '';
    const received: ReceivedDelivery[] = [];
    const waiting: (() => void)[] = [];

    beforeAll(async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
          response.writeHead(answer, { location }).end(text);
          for (const wake of waiting.splice(0)) wake();
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    });
    beforeEach(() => {
      received.length = 0;
      [answer, text, location] = [200, 'as you say', ''];
    });
    afterEach(async () => {
      const { items } = await operator.get<{ items: { id: string }[] }>('/v1/webhooks');
      for (const { id } of items) await operator.send('DELETE', `/v1/webhooks/${id}`);
    });
    afterAll(() => {
      server.close();
    });

    async function untilReceived(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    }
    const deliveries = (webhookId: string, state: string) =>
      until(async () => {
        const { items } = await operator.get<{
          items: { id: string; attempts: number; status: number; error: string | null }[];
        }>(`/v1/webhooks/${webhookId}/deliveries?state=${state}`);
        return items.length > 0 && items;
      });

    it('are CloudEvents that its secret signs; a refusal is tried again, and one that was taken can be replayed', async () => {
      const hook = await operator.post<{ id: string; secret: string }>('/v1/webhooks', {
        name: `ci ${++count}`,
        url,
        types: ['job.ended'],
      });
      expect(hook.secret).toMatch(/^whsec_/);
      expect(JSON.stringify(await operator.get('/v1/webhooks'))).not.toContain(hook.secret.slice(6));
      answer = 503;
      await backUp(0);
      await untilReceived(1);
      const [tried] = await deliveries(hook.id, 'waiting');
      expect(tried).toMatchObject({ attempts: 1 });
      answer = 200;
      await db.query('update webhook_delivery set due_at = now()'); // as the passing of time does
      await untilReceived(2);
      const [done] = await deliveries(hook.id, 'delivered');
      expect(done).toMatchObject({ attempts: 2, status: 200, error: null });
      await operator.post(`/v1/webhooks/${hook.id}/deliveries/${done!.id}/replay`, {});
      await untilReceived(3);

      const verifier = new Webhook(hook.secret);
      for (const { headers, body } of received) {
        const event = verifier.verify(body, headers as Record<string, string>) as Record<string, unknown>;
        expect(event).toMatchObject({
          specversion: '1.0',
          type: 'fleetgate.job.ended',
          source: expect.any(String),
          data: { kind: 'backup', outcome: 'succeeded', deviceId: ids[0] },
        });
        expect(headers['content-type']).toBe('application/cloudevents+json');
      }
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      const { headers, body } = received[0]!;
      expect(() => verifier.verify(body.replace('succeeded', 'failed'), headers as Record<string, string>)).toThrow(
        /signature/i,
      );
    });

    it('that answers 410 gets nothing more', async () => {
      const body = { name: `gone ${++count}`, url, types: ['job.*'] };
      const { id } = await operator.post<{ id: string }>('/v1/webhooks', body);
      answer = 410;
      await backUp(1);
      expect((await deliveries(id, 'failed'))[0]).toMatchObject({ status: 410, attempts: 1 });
      await until(async () => !(await operator.get<{ enabled: boolean }>(`/v1/webhooks/${id}`)).enabled);
    });

    /** The first delivery of a new webhook once it was tried. */
    async function triedAt(address: string, isStoredAs = address) {
      const wish = { name: `hook ${++count}`, url: address, types: ['device.registered'] };
      const { id } = await operator.post<{ id: string }>('/v1/webhooks', wish);
      // As by an earlier version, or under other settings.
      await db.query('update webhook set url = $2 where id = $1', [id, isStoredAs]);
      await operator.post('/v1/devices', { name: `new ${count}`, baseUrl: `https://new-${count}.example` });
      return until(async () => {
        const { items } = await operator.get<{ items: { status: number | null; error: string | null }[] }>(
          `/v1/webhooks/${id}/deliveries`,
        );
        return items.find(({ status, error }) => status !== null || error !== null);
      });
    }

    it('reach a receiver by its host name', async () => {
      expect(await triedAt(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ status: 200, error: null });
      expect(received[0]!.headers.host).toBe(new URL(url.replace('127.0.0.1', 'localhost')).host);
    });

    it.each([
      ['http://169.254.169.254/latest', 'link-local'],
      ['https://[fd00:ec2::254]/', 'metadata'],
      ['https://224.0.0.1', 'multicast'],
    ])('are refused at %s when it is given', async (address, reason) => {
      const wish = { name: `refused ${++count}`, url: address, types: ['job.ended'] };
      const refused = { code: 'webhook_address_refused', problem: { reason: expect.stringContaining(reason) } };
      await expect(operator.post('/v1/webhooks', wish)).rejects.toMatchObject(refused);
      const { id } = await operator.post<{ id: string }>('/v1/webhooks', { ...wish, url });
      await expect(operator.send('PUT', `/v1/webhooks/${id}`, wish)).rejects.toMatchObject(refused);
    });

    it.each(['https://127.000.000.001/in', 'https://2130706433/in', 'https://hooks.example/a/../in'])(
      'are refused at %s, which says something else than it means',
      async (address) => {
        const wish = { name: `refused ${++count}`, url: address, types: ['job.ended'] };
        await expect(operator.post('/v1/webhooks', wish)).rejects.toMatchObject({
          code: 'invalid_input',
          problem: { errors: [expect.objectContaining({ pointer: '/body/url' })] },
        });
      },
    );

    it('never go to an address that is not for webhooks', async () => {
      const isStoredAs = 'http://169.254.169.254/latest';
      expect(await triedAt(url, isStoredAs)).toMatchObject({
        status: null,
        error:
          'The address 169.254.169.254 is not for webhooks: link-local addresses, which include the metadata services of clouds, are not devices',
      });
    });

    it('never go to such an address under a host name', async () => {
      expect(await triedAt(`http://localhost:${new URL(test.url).port}/health/live`)).toMatchObject({
        status: null,
        error: expect.stringMatching(
          /^The address (127\.0\.0\.1|::1) is not for webhooks: it is an address of the gateway/,
        ),
      });
    });

    it('say which host name has no address', async () => {
      expect(await triedAt('http://no-such-host.invalid/hook')).toMatchObject({
        status: null,
        error: expect.stringContaining('no-such-host.invalid'),
      });
    });

    it('do not follow a redirect', async () => {
      answer = 307;
      location = `http://localhost:${new URL(url).port}/elsewhere`;
      expect(await triedAt(url)).toMatchObject({ status: 307 });
      expect(received.map(({ path }) => path)).toEqual(['/hook']);
    });

    it('are judged by the status of an answer, of which no more is read than its beginning', async () => {
      answer = 500;
      text = 'x'.repeat(10_000_000);
      expect(await triedAt(url)).toMatchObject({ status: 500, error: 'x'.repeat(500) });
    });

    it('are tried again when the answer holds what Postgres cannot store', async () => {
      answer = 500;
      text = 'no\0 such\0 hook';
      expect(await triedAt(url)).toMatchObject({ status: 500, error: 'no such hook' });
    });

    it('refuse a name that is taken and a type that there cannot be', async () => {
      const body = { name: `twice ${++count}`, url, types: ['job.ended'], enabled: false };
      const { id } = await operator.post<{ id: string }>('/v1/webhooks', body);
      await expect(operator.post('/v1/webhooks', body)).rejects.toMatchObject({ code: 'webhook_exists' });
      for (const type of ['*', 'foo.bar', 'device.state']) {
        const wish = { ...body, name: 'no such type', types: ['job.ended', type] };
        await expect(operator.post('/v1/webhooks', wish)).rejects.toMatchObject({
          code: 'invalid_input',
          problem: { errors: [{ pointer: '/body/types/1', detail: expect.stringContaining('is no type of event') }] },
        });
        await expect(operator.get(`/v1/events?types=${type}`)).rejects.toMatchObject({ code: 'invalid_input' });
      }
      await operator.send('DELETE', `/v1/webhooks/${id}`);
      await expect(operator.get(`/v1/webhooks/${id}`)).rejects.toMatchObject({ code: 'webhook_not_found' });
    });
  });
});
