import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transportOf } from '../../src/events/mailer.js';
import { Notifications } from '../../src/events/notifications.sweeper.js';
import { WebhookDeliveries } from '../../src/events/webhook-deliveries.sweeper.js';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';

/* Notifications by mail: a server on a loopback address takes them, and the clock is moved by the test. */

interface Hook {
  readonly id: string;
  readonly confirmedAt: string | null;
}
interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly status: number | null;
  readonly error: string | null;
}

const MINUTE = 60_000;
const PASSWORD = 'pass/word-of-the-server';

let world: TestGateway;
let server: MailServer;
let db: pg.Pool;
let named = 0;
const clock = new FakeClock(Date.now());

beforeAll(async () => {
  server = await startMailServer('gateway', PASSWORD);
  const SMTP_URL = `smtp://gateway:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`;
  world = await startTestGateway({ ROLE: 'api', SMTP_URL, SMTP_FROM: 'fleetgate@example.org' }, clock);
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  await db.query(
    `insert into device (id, name, base_url, site, state, created_at, updated_at)
     select gen_random_uuid(), 'r-' || number, 'https://r' || number || '.example', 'north', 'online', now(), now()
       from generate_series(1, 50) as number`,
  );
  await db.query('delete from alert_rule'); // those of the set-up
  await world.api.post('/v1/monitoring/rules', { name: 'dead', selector: 'state:offline', forSeconds: 120 });
});
afterEach(async () => {
  server.refusal = null;
  const { items } = await world.api.get<{ items: Hook[] }>('/v1/webhooks');
  for (const { id } of items) await world.api.send('DELETE', `/v1/webhooks/${id}`);
  await db.query(`delete from mail_address; delete from alert; update device set state = 'online'`);
  server.mails.length = 0;
});
afterAll(async () => {
  await db.end();
  await world.close();
  await server.close();
});

const hook = (more: object = {}) =>
  world.api.post<Hook>('/v1/webhooks', {
    name: `hook ${++named}`,
    url: 'mailto:ada@example.com',
    format: 'mail',
    types: ['rule.notified'],
    ...more,
  });
const read = ({ id }: Hook) => world.api.get<Hook>(`/v1/webhooks/${id}`);
const confirm = ({ id }: Hook, code: string) => world.api.post<Hook>(`/v1/webhooks/${id}/confirm`, { code });
const codeIn = (text: string) => /The code is (\d{4} \d{4})\./.exec(text)![1]!;
const deliveries = async ({ id }: Hook) =>
  (await world.api.get<{ items: Delivery[] }>(`/v1/webhooks/${id}/deliveries`)).items;

async function confirmed(more: object = {}): Promise<Hook> {
  const made = await hook(more);
  await confirm(made, codeIn(server.mails.at(-1)!.text));
  server.mails.length = 0;
  return made;
}

/** One pass of all after a time. */
async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await db.query('update alert_rule set judged_at = null');
  await world.gateway.app.get(AlertSweeper).sweep();
  await world.gateway.app.get(Notifications).sweep();
  await world.gateway.app.get(WebhookDeliveries).sweep();
}

describe('the owner of a mail address', () => {
  it('gets a code, and nothing else before somebody gives it back', async () => {
    const made = await hook();
    expect(made.confirmedAt).toBeNull();
    const [mail, ...others] = server.mails;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: ['ada@example.com'], headers: { subject: 'Fleetgate: confirm this address' } });
    await db.query(`update device set state = 'offline' where name = 'r-1'`);
    for (const ms of [10_000, 3 * MINUTE, MINUTE]) await pass(ms);
    await expect(world.api.post(`/v1/webhooks/${made.id}/test`, {})).rejects.toMatchObject({
      code: 'mail_not_confirmed',
    });
    expect(server.mails).toHaveLength(1);
    expect((await confirm(made, codeIn(mail!.text).replace(' ', '-'))).confirmedAt).not.toBeNull();
    await pass(MINUTE);
    expect(server.mails.at(-1)!.headers['subject']).toBe('Fleetgate warning: 1 new, now 1');
    await expect(confirm(made, '12345678')).rejects.toMatchObject({ code: 'webhook_needs_no_code' });
  });

  it('is not found by guesses: five tries, a day, and one code in five minutes', async () => {
    const made = await hook();
    const right = codeIn(server.mails[0]!.text);
    const wrong = right.startsWith('0') ? '1111 1111' : '0000 0000';
    for (let count = 0; count < 5; count++)
      await expect(confirm(made, wrong)).rejects.toMatchObject({ code: 'mail_code_refused' });
    await expect(confirm(made, right)).rejects.toMatchObject({ code: 'mail_code_refused' });
    const again = () => world.api.post<{ accepted: boolean }>(`/v1/webhooks/${made.id}/code`, {});
    await expect(again()).rejects.toMatchObject({ code: 'mail_code_too_early' });
    await hook(); // another webhook of the address gets none, either
    expect(server.mails).toHaveLength(1);
    clock.pass(5 * MINUTE);
    expect(await again()).toMatchObject({ accepted: true, status: 250 });
    clock.pass(25 * 60 * MINUTE);
    await expect(confirm(made, codeIn(server.mails.at(-1)!.text))).rejects.toMatchObject({ code: 'mail_code_refused' });
    await again();
    await confirm(made, codeIn(server.mails.at(-1)!.text));
    const { rows } = await db.query<{ digest: Buffer | null }>('select code_digest as digest from mail_address');
    expect(rows).toEqual([{ digest: null }]);
  });

  it('is another one after a change of the address, who is told of nothing before', async () => {
    const made = await confirmed();
    await db.query(`update device set state = 'offline' where name = 'r-1'`);
    for (const ms of [10_000, 3 * MINUTE, MINUTE]) await pass(ms);
    expect(server.mails).toHaveLength(1);
    const [sent] = await deliveries(made);
    await world.api.send('PUT', `/v1/webhooks/${made.id}`, {
      name: 'other',
      url: 'mailto:Bob@example.com',
      format: 'mail',
      types: ['rule.notified'],
    });
    expect((await read(made)).confirmedAt).toBeNull();
    expect(sent).toMatchObject({ state: 'delivered', status: 250 });
    expect(await deliveries(made)).toEqual([]);
    await pass(6 * MINUTE);
    expect(server.mails.map(({ to }) => to[0])).toEqual(['ada@example.com', 'Bob@example.com']);
    await confirm(made, codeIn(server.mails.at(-1)!.text));
    await pass(MINUTE);
    expect(server.mails.at(-1)).toMatchObject({ to: ['Bob@example.com'] });
    expect(server.mails.at(-1)!.headers['subject']).toBe('Fleetgate warning: 1 new, now 1');
  });
});

describe('a notification by mail', () => {
  it('comes within two passes and the time of its rule after a router is off', async () => {
    await confirmed();
    await pass(MINUTE);
    const off = clock.now().getTime();
    await db.query(
      `update device set state = 'offline', name = E'r-7 <b>\\r\\nBcc: eve@example.com' where name = 'r-7'`,
    );
    while (server.mails.length === 0 && clock.now().getTime() < off + 10 * MINUTE) await pass(MINUTE);
    expect(clock.now().getTime() - off).toBeLessThanOrEqual(4 * MINUTE);
    const [{ headers, text, to }] = server.mails as [MailServer['mails'][number]];
    expect(headers).toMatchObject({ subject: 'Fleetgate warning: 1 new, now 1', 'auto-submitted': 'auto-generated' });
    expect(headers['from']).toBe('Fleetgate <fleetgate@example.org>');
    expect(headers).not.toHaveProperty('bcc');
    expect(to).toEqual(['ada@example.com']);
    expect(text).toContain('dead\nSites: north 1\nNew: r-7 <b> Bcc: eve@\u2060example.\u2060com\n');
    await db.query(`update device set name = 'r-7' where name like 'r-7%'`);
  });

  it('is tried again after a refusal, as the same mail, and its log has no password', async () => {
    const made = await confirmed();
    server.refusal = { code: 451, text: `busy: gateway and ${PASSWORD} are not known` };
    await db.query(`update device set state = 'offline' where name = 'r-1'`);
    for (const ms of [10_000, 2 * MINUTE, MINUTE]) await pass(ms);
    const [waiting] = await deliveries(made);
    expect(waiting).toMatchObject({ state: 'waiting', status: 451 });
    expect(waiting!.error).toContain('busy');
    expect(waiting!.error).not.toContain(PASSWORD);
    server.refusal = null;
    await pass(MINUTE);
    const [delivered] = await deliveries(made);
    expect(delivered).toMatchObject({ id: waiting!.id, state: 'delivered', status: 250, error: null });
    await world.api.post(`/v1/webhooks/${made.id}/deliveries/${waiting!.id}/replay`, {});
    await pass(1_000);
    expect(server.mails.map(({ headers }) => headers['message-id'])).toEqual(
      Array.from({ length: 2 }, () => `<${waiting!.id}@example.org>`),
    );
  });

  it('is tested, and the answer of the server is shown', async () => {
    const made = await confirmed();
    const test = () => world.api.post(`/v1/webhooks/${made.id}/test`, {});
    expect(await test()).toMatchObject({ accepted: true, status: 250 });
    expect(server.mails[0]!.text).toContain('This is a test.');
    server.refusal = { code: 550, text: 'no such mailbox' };
    expect(await test()).toMatchObject({ accepted: false, status: 550 });
  });
});

describe('an address of a mail', () => {
  it.each([
    'mailto:ada@example.com?cc=eve@example.com',
    'mailto:ada@example.com,eve@example.com',
    'mailto:ada%0d%0aBcc:eve@example.com',
    'mailto:ada',
    'mailto:ädä@example.com',
    'mailto:"a b"@example.com',
    'https://example.com/hook',
  ])('cannot be %s', async (url) => {
    await expect(hook({ url })).rejects.toMatchObject({ code: 'invalid_input' });
    expect(server.mails).toEqual([]);
  });

  it('is of format mail alone, and needs a server', async () => {
    await expect(hook({ format: 'slack' })).rejects.toMatchObject({ code: 'invalid_input' });
    const other = await startTestGateway({ ROLE: 'api' });
    const body = { name: 'a', url: 'mailto:ada@example.com', format: 'mail', types: ['rule.notified'] };
    await expect(other.api.post('/v1/webhooks', body)).rejects.toMatchObject({ code: 'mail_not_set_up' });
    await other.close();
  });
});

describe('the connection to the server', () => {
  it.each([
    ['smtp://a:b%40c@mail.example', { port: 587, secure: false, requireTLS: true, ignoreTLS: false }],
    ['smtps://mail.example', { port: 465, secure: true, requireTLS: false, ignoreTLS: false }],
    ['smtp://127.0.0.2:25', { port: 25, requireTLS: false, ignoreTLS: true }],
    ['smtp://[::1]', { host: '::1', requireTLS: false, ignoreTLS: true }],
    ['smtp://127.0.0.1.example', { requireTLS: true, ignoreTLS: false }],
  ])('of %s has TLS unless it is on this machine', (url, options) => {
    expect(transportOf(url)).toMatchObject(options);
  });

  it('has the password as it is meant', () => {
    expect(transportOf('smtp://a:b%40c@mail.example').auth).toEqual({ user: 'a', pass: 'b@c' });
    expect(transportOf('smtp://a:100%sure@mail.example').auth).toEqual({ user: 'a', pass: '100%sure' });
  });
});
