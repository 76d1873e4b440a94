import http from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OidcClient } from '../../../src/auth/people/oidc-client.js';
import { readProviders } from '../../../src/auth/people/oidc-providers.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

/* What sign-ins cost while their provider is away: its document is asked for once in a while, not for each of them. */

type Answer = (response: http.ServerResponse) => void;

let server: http.Server;
let issuer: string;
let asked = 0;
let answer: Answer;
const clock = new FakeClock();
const BACK = 'https://gateway.example/v1/oidc/corp/callback';

beforeAll(async () => {
  server = http.createServer((_request, response) => {
    asked++;
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function made(): Promise<OidcClient> {
  asked = 0;
  const providers = [{ id: 'corp', name: 'Corp', issuer, clientId: 'gateway', clientSecret: 's'.repeat(40), roles: { a: ['viewer'] } }]; // prettier-ignore
  const [provider] = await readProviders({ OIDC_PROVIDERS: JSON.stringify(providers) });
  return new OidcClient(provider!, clock);
}

const json = (response: http.ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const whole = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
});
const works: Answer = (response) => json(response, whole());

const FAILURES: [string, Answer][] = [
  ['closes the connection', (response) => response.destroy()],
  ['answers 500', (response) => json(response, {}, 500)],
  ['answers 503 with Retry-After', (response) => response.writeHead(503, { 'retry-after': '1' }).end()],
  ['answers 404', (response) => json(response, {}, 404)],
  ['answers 401', (response) => json(response, {}, 401)],
  ['redirects', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['answers with a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['answers with half of its document', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":')], // prettier-ignore
  ['names another issuer', (response) => json(response, { ...whole(), issuer: 'https://other.example' })],
  ['answers with nothing', (response) => response.writeHead(204).end()],
  ['answers with more than a megabyte', (response) => json(response, { ...whole(), more: 'a'.repeat(2_000_000) })],
  ['breaks off', (response) => response.writeHead(200, { 'content-length': '500' }).write('{', () => response.destroy())], // prettier-ignore
];

describe('a provider that', () => {
  it.each(FAILURES)('%s is asked again after ten seconds, and not before', async (_what, fails) => {
    answer = fails;
    const oidc = await made();
    const first = oidc.begin(BACK);
    await expect(first).rejects.toMatchObject({ name: 'OidcFailure' });
    answer = works;
    const reason = await first.catch((error: Error) => error.message);
    clock.pass(9_000);
    await expect(Promise.all([oidc.begin(BACK), oidc.begin(BACK)])).rejects.toThrow(reason);
    expect(asked).toBe(1);
    clock.pass(1_001);
    expect((await oidc.begin(BACK)).url).toContain(`${issuer}/auth`);
    expect(asked).toBe(2);
  });

  it('fails late is left alone from then on, and not from the request on', async () => {
    const held: http.ServerResponse[] = [];
    answer = (response) => held.push(response);
    const oidc = await made();
    const waiting = oidc.begin(BACK);
    await until(() => held.length === 1);
    clock.pass(60_000);
    held[0]!.destroy();
    await expect(waiting).rejects.toMatchObject({ name: 'OidcFailure' });
    clock.pass(9_000);
    await expect(oidc.begin(BACK)).rejects.toMatchObject({ name: 'OidcFailure' });
    expect(asked).toBe(1);
  });

  it('fails after its hour leaves what another sign-in has read since', async () => {
    const held: http.ServerResponse[] = [];
    answer = (response) => held.push(response);
    const oidc = await made();
    const old = oidc.begin(BACK);
    await until(() => held.length === 1);
    answer = works;
    clock.pass(3_600_001);
    await oidc.begin(BACK);
    held[0]!.destroy();
    await expect(old).rejects.toMatchObject({ name: 'OidcFailure' });
    await oidc.begin(BACK);
    expect(asked).toBe(2);
  });
});
