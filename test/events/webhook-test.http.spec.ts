import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../support/cli/command-line.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* A test of a webhook: one signed message now, and what the receiver said. */

interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}
interface Result {
  readonly accepted: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
}

let world: TestGateway;
let url: string;
let answer: RequestListener;
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += part.toString()));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    answer(request, response);
  });
});

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  receiver.close();
  await world.close();
});

let named = 0;
const hookTo = (address: string, more: object = {}) =>
  world.api.post<CreatedWebhook>('/v1/webhooks', {
    name: `hook ${++named}`,
    url: address,
    types: ['job.ended'],
    ...more,
  });
const testOf = (id: string) => world.api.post<Result>(`/v1/webhooks/${id}/test`);

it('sends one message that is signed as events are, also while the webhook is disabled', async () => {
  answer = (_request, response) => void response.writeHead(204).end();
  const { id, secret } = await hookTo(`${url}/hook?token=a`, { enabled: false });
  const before = received.length;
  const result = await testOf(id);
  expect(result).toMatchObject({ accepted: true, status: 204, error: null });
  expect(result.ms).toBeGreaterThanOrEqual(0);
  expect(received.length).toBe(before + 1);
  const { headers, body } = received.at(-1)!;
  expect(headers['content-type']).toBe('application/cloudevents+json');
  const message = new Verifier(secret).verify(body, headers as Record<string, string>);
  expect(message).toMatchObject({ type: 'fleetgate.webhook.test', subject: id, id: headers['webhook-id'] });
  expect((await world.api.get<{ items: unknown[] }>(`/v1/webhooks/${id}/deliveries`)).items).toEqual([]);
  const { items } = await world.api.get<{ items: object[] }>(`/v1/audit?action=webhook.test`);
  expect(items[0]).toMatchObject({ action: 'webhook.test', subject: `webhook:${id}`, outcome: 'succeeded' });
});

it.each<readonly [what: string, listener: RequestListener, result: Partial<Result>]>([
  ['an error', (_q, r) => void r.writeHead(500).end('out of paper'), { status: 500, error: 'out of paper' }],
  ['a refusal of its address', (q, r) => void r.writeHead(403).end(q.url), { status: 403, error: '/hook?…' }],
  ['that it wants no more', (_q, r) => void r.writeHead(410).end(), { status: 410, error: '' }],
  ['a redirect', (_q, r) => void r.writeHead(307, { location: '/other' }).end(), { status: 307 }],
  ['nothing, and closes', (q) => void q.socket.destroy(), { status: null, error: 'socket hang up' }],
])('says %s', async (_what, listener, result) => {
  answer = listener;
  const { id } = await hookTo(`${url}/hook?token=secret-token`);
  const said = await testOf(id);
  expect(said).toMatchObject({ accepted: false, ...result });
  expect(JSON.stringify(said)).not.toContain('secret-token');
  expect(await world.api.get(`/v1/webhooks/${id}`)).toMatchObject({ enabled: true });
  const { items } = await world.api.get<{ items: object[] }>(`/v1/audit?action=webhook.test`);
  expect(items[0]).toMatchObject({ subject: `webhook:${id}`, outcome: 'failed' });
});

it('says that nothing listens, and that a name has no address', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const away = await testOf((await hookTo(`http://127.0.0.1:${port}/`)).id);
  expect(away).toMatchObject({ accepted: false, status: null, error: expect.stringContaining('ECONNREFUSED') });
  const nameless = await testOf((await hookTo('https://receiver.invalid/')).id);
  expect(nameless).toMatchObject({ accepted: false, status: null, error: expect.stringContaining('receiver.invalid') });
});

it('is for holders of webhook.manage, and of one that exists', async () => {
  const { id } = await hookTo(url);
  const before = received.length;
  await expect(world.as('viewer').post(`/v1/webhooks/${id}/test`)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(testOf('0192f3a1-7c4e-7b1a-9d2e-5f60718293a4')).rejects.toMatchObject({ code: 'webhook_not_found' });
  expect(received.length).toBe(before);
});

it('is a command that ends with 1 when the receiver does not accept it', async () => {
  const { id } = await hookTo(url);
  const environment = { FLEETGATE_URL: world.url, FLEETGATE_API_KEY: world.keys.administrator };
  const run = () => commandLine(environment, ['webhook', 'test', id]);
  answer = (_request, response) => void response.end('ok');
  expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(/accepted +true\nstatus +200\n/) });
  answer = (_request, response) => void response.writeHead(404).end('no such hook');
  expect(await run()).toMatchObject({ code: 1, out: expect.stringMatching(/status +404\nerror +no such hook\n/) });
});
