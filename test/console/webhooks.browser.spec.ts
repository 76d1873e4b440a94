import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { goTo, settled } from '../support/console/in-page.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';

/* A test of a webhook from the console: one message now, and what the receiver said. */

let world: ConsoleWorld;
let page: Page;
let url: string;
let id: string;
let answer: RequestListener;
let received = 0;
let mails: MailServer;
const receiver = createServer((request, response) => {
  received++;
  request.resume().on('end', () => answer(request, response));
});

beforeAll(async () => {
  mails = await startMailServer('gateway', 'password');
  const SMTP_URL = `smtp://gateway:password@127.0.0.1:${mails.port}`;
  world = await startConsoleWorld({ ROLE: 'api', SMTP_URL, SMTP_FROM: 'fleetgate@example.org' });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  ({ id } = await world.gateway.api.post<{ id: string }>('/v1/webhooks', { name: 'chat', url, types: ['job.ended'] }));
  page = await world.open(`/system?tab=webhooks&webhook=${id}`);
  await settled(page);
});
afterAll(async () => {
  await world.close();
  receiver.close();
  await mails.close();
});

it.each<readonly [what: string, listener: RequestListener, said: RegExp, error: string]>([
  ['accepts it', (_q, r) => void r.writeHead(204).end(), /accepted the test with status 204/, ''],
  [
    'answers with an error',
    (_q, r) => void r.writeHead(500).end('out of paper'),
    /did not accept the test with status 500/,
    'out of paper',
  ],
  ['does not answer', (q) => void q.socket.destroy(), /No answer came/, 'socket hang up'],
])('says that the receiver %s', async (_what, listener, said, error) => {
  answer = listener;
  const before = received;
  await page.getByRole('button', { name: 'Send a test', exact: true }).click();
  const dialog = page.locator('dialog[open]');
  expect(received).toBe(before);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByText(said).waitFor();
  expect(received).toBe(before + 1);
  await expect.poll(() => dialog.innerText()).toContain('fleetgate.webhook.test');
  await expect.poll(() => dialog.locator('.dialog-body').getByRole('status').innerText()).toContain(error);
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await dialog.waitFor({ state: 'detached' });
});

it('adds a chat, which gets notifications alone', async () => {
  await page.keyboard.press('Escape');
  await goTo(page, '/system?tab=webhooks');
  await page.getByRole('button', { name: 'Add a webhook', exact: true }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByLabel('Name', { exact: true }).fill('on call');
  await dialog.getByLabel('Address', { exact: true }).fill(url);
  await expect.poll(() => dialog.getByLabel('Format', { exact: true }).inputValue()).toBe('slack');
  await expect.poll(() => dialog.getByText('All events of').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Add webhook', exact: true }).click();
  await dialog.getByRole('button', { name: 'I stored it', exact: true }).click();
  const { items } = await world.gateway.api.get<{ items: { name: string }[] }>('/v1/webhooks');
  expect(items.find(({ name }) => name === 'on call')).toMatchObject({ format: 'slack', types: ['rule.notified'] });
});

it('adds an address, which sends nothing before its code is entered', async () => {
  await goTo(page, '/system?tab=webhooks');
  await page.getByRole('button', { name: 'Add a webhook', exact: true }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByLabel('Name', { exact: true }).fill('ada');
  await dialog.getByLabel('Format').selectOption('mail');
  await dialog.getByLabel('Address').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Add webhook', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('The owner of the address has not confirmed it').waitFor();
  await page.getByRole('button', { name: 'Send another code', exact: true }).click();
  await page.getByText('A code was sent to this address a moment ago').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('123');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('This is not the code of the mail address').first().waitFor();
  const [mail, ...others] = mails.mails;
  expect(others).toEqual([]);
  await page.getByLabel('Code', { exact: true }).fill(/\d{4} \d{4}/.exec(mail!.text)![0]);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('The owner of the address has not confirmed it').waitFor({ state: 'detached' });
});
