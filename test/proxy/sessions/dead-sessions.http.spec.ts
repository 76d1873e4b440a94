import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refusesToken, tokenVerdict } from '../../../src/proxy/connections/dead-token.js';
import { ForgetfulDevice, type RawAnswer } from '../../support/devices/forgetful-device.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { AheadClock } from '../proxy-world.js';

/* Devices that forget a session and do not say so with 401. */

const PATH = '/api/some/service/global';
const PAGE = '<!doctype html><title>Login</title>';
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const refusal = (code: unknown) => JSON.stringify({ success: false, errors: [{ code, error: 'no' }] });

let world: TestGateway;
let id: string;
const device = new ForgetfulDevice();
const clock = new AheadClock();

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  id = await device.register(world.api, 'forgetful');
});
afterAll(async () => {
  device.close();
  await world.close();
});
beforeEach(() => {
  device.alive = null;
  device.deadStatus = null;
  device.endsSessions = false;
  device.done.length = 0;
  device.dead = { status: 401, body: refusal(123) };
  clock.pass(20_000); // two deaths of young sessions within seconds are one refusal
});

async function ask(method: string, body?: string, path = PATH) {
  const answer = await fetch(`${world.url}/v1/devices/${id}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${world.keys.administrator}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}
const endsAt = async () => {
  const { sessions } = await world.api.get<{ sessions: { endsAt: string }[] }>(`/v1/devices/${id}/session`);
  return sessions[0]!.endsAt;
};

/** The API's own refusal of a token: the device did nothing. */
const REFUSED: [string, RawAnswer][] = [
  ['401 with 123', { status: 401, body: refusal(123) }],
  ['401 with 123 as a text', { status: 401, body: refusal('123') }],
  ['401 with 121', { status: 401, body: refusal(121) }],
  ['403 with 123', { status: 403, body: refusal(123) }],
  ['200 with 123', { status: 200, body: refusal(123) }],
  ['200 with 123 as a text', { status: 200, body: refusal('123') }],
];

/** What a dead token gets, too, but also a write that was carried out and ended its session. */
const OPEN: [string, RawAnswer][] = [
  ['401 without a body', { status: 401 }],
  ['401 with a page', { status: 401, body: PAGE, headers: HTML }],
  ['403 with 121', { status: 403, body: refusal(121) }],
  ['403 with a page', { status: 403, body: PAGE, headers: HTML }],
  ['403 without a body', { status: 403 }],
  ['200 with the page of the login', { status: 200, body: PAGE, headers: HTML }],
  ['200 without a reason', { status: 200, body: '{"success":false,"errors":[]}' }],
  ['302 to the login', { status: 302, headers: { location: '/login' } }],
  ['303 with a page', { status: 303, body: PAGE, headers: { ...HTML, location: '/cgi-bin/luci' } }],
  ['307 to the root', { status: 307, headers: { location: '/' } }],
];
const asSent = ({ status, body }: RawAnswer) => ({ status, text: String(body ?? '') });
const BODY = '{"data":{"a":"c"}}';

describe('a session that the device has forgotten', () => {
  it.each([...REFUSED, ...OPEN])('is renewed once, and a read is made: %s', async (_what, dead) => {
    await ask('GET');
    const logins = device.logins;
    device.dead = dead;
    device.forget();
    expect(await ask('GET')).toMatchObject({ status: 200, text: expect.stringContaining('"b"') });
    expect(device.logins).toBe(logins + 1);
  });

  it.each(REFUSED)('is renewed once, and a write is made: %s', async (_what, dead) => {
    await ask('GET');
    const logins = device.logins;
    device.dead = dead;
    device.forget();
    device.done.length = 0;
    expect((await ask('PUT', BODY)).status).toBe(200);
    expect(device.done).toEqual([`PUT ${PATH}`]);
    expect(device.logins).toBe(logins + 1);
  });

  it.each(OPEN)('passes the answer to a write on, and the next write logs in: %s', async (_what, dead) => {
    await ask('GET');
    const logins = device.logins;
    device.dead = dead;
    device.forget();
    device.done.length = 0;
    expect(await ask('PUT', BODY)).toEqual(asSent(dead));
    expect(device.logins).toBe(logins);
    expect((await ask('PUT', BODY)).status).toBe(200);
    expect(device.done).toEqual([`PUT ${PATH}`]);
    expect(device.logins).toBe(logins + 1);
  });
});

/** The same refusal, in the parts and under the media types of real web servers. */
const REFUSAL = refusal(123);
const at = (text: string) => REFUSAL.indexOf(text);
const SPLIT: [string, RawAnswer][] = [
  ['after the first byte', { status: 200, body: REFUSAL, cuts: [1] }],
  ['in its first word', { status: 200, body: REFUSAL, cuts: [at('ccess')] }],
  ['before its errors', { status: 200, body: REFUSAL, cuts: [at('"errors"')] }],
  ['in the word errors', { status: 200, body: REFUSAL, cuts: [at('rrors"')] }],
  ['in its code', { status: 200, body: REFUSAL, cuts: [at('23')] }],
  ['before its last byte', { status: 200, body: REFUSAL, cuts: [REFUSAL.length - 1] }],
  ['after its head', { status: 200, body: REFUSAL, cuts: [0] }],
  ['into four', { status: 200, body: REFUSAL, cuts: [3, at('rrors"'), at('23')] }],
  ['with its length', { status: 200, body: REFUSAL, cuts: [9], headers: { 'content-length': `${REFUSAL.length}` } }],
  ['behind spaces', { status: 200, body: ` \r\n${REFUSAL}`, cuts: [2, 4] }],
  ['as a text', { status: 200, body: REFUSAL, cuts: [12], headers: { 'content-type': 'text/plain' } }],
  ['with another status', { status: 202, body: REFUSAL, cuts: [12] }],
];
const typed = (type: string): RawAnswer => ({ status: 200, body: PAGE, cuts: [7], headers: { 'content-type': type } });
const PAGES: [string, RawAnswer][] = [
  'TEXT/HTML',
  'Text/Html; Charset=UTF-8',
  'text/html;charset=utf-8',
  'text/html ; charset=utf-8',
  'application/xhtml+xml',
  'Application/XHTML+XML; charset=utf-8',
].map((type) => [type, typed(type)]);

describe('an answer to a dead token in parts', () => {
  it.each([...SPLIT, ...PAGES])('leads to a login, and a read is made: %s', async (_where, dead) => {
    await ask('GET');
    const logins = device.logins;
    device.dead = dead;
    device.forget();
    expect(await ask('GET')).toMatchObject({ status: 200, text: expect.stringContaining('"b"') });
    expect(device.logins).toBe(logins + 1);
  });

  it.each(SPLIT)('leads to a login, and a write is made: %s', async (_where, dead) => {
    await ask('GET');
    const logins = device.logins;
    device.dead = dead;
    device.forget();
    device.done.length = 0;
    expect((await ask('PUT', BODY)).status).toBe(200);
    expect(device.done).toEqual([`PUT ${PATH}`]);
    expect(device.logins).toBe(logins + 1);
  });
});

it('an answer whose rest came too late to be held is judged at its end: the next call logs in', async () => {
  await ask('GET');
  const logins = device.logins;
  const [body, end] = [refusal(123).slice(0, 9), refusal(123).slice(9)];
  let sendRest = () => {};
  device.dead = { status: 200, body, rest: { after: new Promise((resolve) => (sendRest = resolve)), body: end } };
  device.forget();
  const answer = await fetch(`${world.url}/v1/devices/${id}${PATH}`, {
    headers: { authorization: `Bearer ${world.keys.administrator}` },
  });
  sendRest();
  expect(await answer.text()).toBe(refusal(123));
  expect(device.logins).toBe(logins);
  device.dead = { status: 200, body: '{"success":true,"data":{"is":"of a dead token"}}' };
  expect(await ask('GET')).toMatchObject({ status: 200, text: expect.stringContaining('"b"') });
  expect(device.logins).toBe(logins + 1);
});

/** Answers of a live session that begin as a refusal does. */
const LONG = JSON.stringify({ success: true, data: { errors: Array.from({ length: 90 }, () => ({ code: 123 })) } });
const ALIKE: [string, RawAnswer][] = [
  ['data that is named errors', { status: 200, body: '{"success":true,"data":{"errors":[{"code":123}]}}', cuts: [30] }],
  ['another refusal', { status: 200, body: refusal(103), cuts: [9] }],
  ['a text in data', { status: 200, body: '{"success":true,"data":{"note":"\\"errors\\":123"}}', cuts: [40] }],
  ['no envelope', { status: 200, body: '{"a":"b"}', cuts: [1] }],
  ['a list', { status: 200, body: '[{"errors":[{"code":123}]}]', cuts: [1] }],
  ['no JSON', { status: 200, body: '{"errors": code 123', cuts: [4] }],
  ['more than a refusal has', { status: 200, body: LONG, cuts: [1, 900, 1_024, 1_025] }],
  ['more, with its length', { status: 200, body: LONG, cuts: [1], headers: { 'content-length': `${LONG.length}` } }],
  ['spaces alone', { status: 200, body: ' \n ', cuts: [1] }],
  ['a page of its own', { status: 200, body: PAGE, cuts: [9], headers: { 'content-type': 'TEXT/HTML' } }],
];

describe('an answer in parts that begins as a refusal does', () => {
  it.each(ALIKE)('passes as it is: %s', async (_what, alive) => {
    await ask('GET');
    const logins = device.logins;
    device.alive = alive;
    expect(await ask('GET')).toEqual(asSent(alive));
    expect(await ask('PUT', BODY)).toEqual(asSent(alive));
    expect(device.logins).toBe(logins);
  });

  it.each([
    ['JSON that stops', { status: 200, body: '{"succ', stalls: true }],
    ['JSON that stops behind its errors', { status: 200, body: '{"success":true,"data":{"errors"', stalls: true }],
    ['JSON that is long', { status: 200, body: LONG.slice(0, 1_100), stalls: true }],
    ['a page that stops', { status: 200, body: '<!doctype html>', stalls: true, headers: HTML }],
  ] as [string, RawAnswer][])('reaches its reader before its end: %s', async (_what, alive) => {
    await ask('GET');
    device.alive = alive;
    const reading = new AbortController();
    const answer = await fetch(`${world.url}/v1/devices/${id}${PATH}`, {
      headers: { authorization: `Bearer ${world.keys.administrator}` },
      signal: reading.signal,
    });
    const { value } = await answer.body!.getReader().read();
    expect(String(alive.body)).toContain(Buffer.from(value).toString());
    reading.abort();
  });
});

describe('a write that ends its own session', () => {
  const REBOOT = '/api/system/actions/reboot';
  const STATUSES: RawAnswer[] = [
    { status: 401, body: refusal(123) },
    { status: 200, body: PAGE, headers: HTML },
  ];

  it.each(OPEN.flatMap(([what, answer]) => STATUSES.map((status) => [what, status.status, answer, status] as const)))(
    'is sent once: %s, and %s for the state of the session',
    async (_what, _status, answer, status) => {
      await ask('GET');
      Object.assign(device, { alive: answer, deadStatus: status, endsSessions: true });
      device.done.length = 0;
      expect(await ask('POST', '{"data":{}}', REBOOT)).toEqual(asSent(answer));
      expect(device.done).toEqual([`POST ${REBOOT}`]);
    },
  );
});

const ALIVE: [string, RawAnswer][] = [
  ['a refusal by the access list', { status: 403, body: refusal(120) }],
  ['a page of its own', { status: 200, body: PAGE, headers: HTML }],
  ['a redirect of its own', { status: 302, headers: { location: '/elsewhere' } }],
  ['403 without a body', { status: 403 }],
  ['200 with another refusal', { status: 200, body: refusal(103) }],
  ['data that is named errors', { status: 200, body: '{"success":true,"data":{"errors":[{"code":123}]}}' }],
  ['a section that is missing', { status: 404, body: refusal(113) }],
  ['a crash', { status: 500, body: PAGE, headers: HTML }],
  ['nothing at all', { status: 204 }],
];

/** The page of a login with its scripts and images may be as long. */
const LONG_PAGE: [string, RawAnswer] = ['a long page', { status: 200, body: PAGE.padEnd(80_000), headers: HTML }];

describe('a session that lives', () => {
  it.each(ALIVE)('stays, and the answer passes as it is: %s', async (_what, alive) => {
    await ask('GET');
    const logins = device.logins;
    device.alive = alive;
    expect(await ask('GET')).toEqual({ status: alive.status, text: String(alive.body ?? '') });
    expect(device.logins).toBe(logins);
  });

  it.each([ALIVE[0]!, ALIVE[3]!, ALIVE[7]!, LONG_PAGE])(
    'is not prolonged by what proves nothing: %s',
    async (_what, alive) => {
      await ask('GET');
      const before = await endsAt();
      device.alive = alive;
      clock.pass(30_000);
      await ask('GET');
      expect(await endsAt()).toBe(before);
      device.alive = null;
      await ask('GET');
      expect(Date.parse(await endsAt())).toBeGreaterThan(Date.parse(before));
    },
  );
});

describe('what an answer says of the token', () => {
  it.each([
    ['rutos', 401, { errors: [{ code: 123 }] }, 'dead'],
    ['rutos', 401, { errors: [{ code: 121 }] }, 'dead'],
    ['rutos', 401, { errors: [{ code: 120 }] }, 'alive'],
    ['spec', 401, { errors: [{ code: 120 }] }, 'dead'],
    ['spec', 403, { errors: [{ code: 120 }] }, 'alive'],
    ['unknown', 403, { errors: [{ code: 123 }] }, 'dead'],
    ['rutos', 200, { success: true, data: {} }, 'alive'],
    ['rutos', 200, { success: false, errors: [] }, 'unclear'],
    ['rutos', 403, undefined, 'unclear'],
    ['rutos', 302, undefined, 'unclear'],
    ['rutos', 200, [], 'unclear'],
    ['rutos', 200, { errors: [{ code: 7 }, { code: 123 }] }, 'dead'],
  ] as const)('%s, %s, %j: %s', (profile, status, body, verdict) => {
    expect(tokenVerdict(profile, status, body)).toBe(verdict);
  });
});

describe('a refusal of the token', () => {
  it.each([
    ['rutos', 401, { errors: [{ code: 123 }] }, true],
    ['rutos', 401, { errors: [{ code: 121 }] }, true],
    ['rutos', 401, { errors: [{ code: 120 }] }, false],
    ['spec', 401, { errors: [{ code: 120 }] }, true],
    ['spec', 401, { errors: [{ code: 7 }, { code: 123 }] }, false],
    ['rutos', 401, undefined, false],
    ['rutos', 403, { success: false, errors: [{ code: 123 }] }, true],
    ['rutos', 403, { success: false, errors: [{ code: 121 }] }, false],
    ['rutos', 200, { success: false, errors: [{ code: 123 }] }, true],
    ['rutos', 200, { success: true, errors: [{ code: 123 }] }, false],
    ['rutos', 200, { success: false, errors: [{ code: 7 }, { code: 123 }] }, false],
    ['rutos', 200, { success: false, errors: [] }, false],
    ['rutos', 200, { data: [{ success: false, errors: [{ code: 123 }] }] }, false],
    ['unknown', 302, undefined, false],
  ] as const)('%s, %s, %j: %s', (profile, status, body, isRefusal) => {
    expect(refusesToken(profile, status, body)).toBe(isRefusal);
  });
});
