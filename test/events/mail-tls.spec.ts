import { createTransport } from 'nodemailer';
import { afterEach, describe, expect, it } from 'vitest';
import { transportOf } from '../../src/events/mailer.js';
import { selfSigned } from '../../src/simulator/device/certificates.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';

/*
 * Mail by TLS: the certificate of the server is checked, and the password is sent behind it alone. The settings name a
 * server elsewhere, since one on this machine needs no TLS; only its address is changed here.
 */

const PASSWORD = 'pass/word-of-the-server';
const DAY = 86_400_000;

const certificateOf = (name: string) =>
  selfSigned({
    commonName: name,
    alternativeNames: [name],
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
  });
const OURS = certificateOf('127.0.0.1');
const OF_ANOTHER = certificateOf('mail.example');

let server: MailServer | null = null;
afterEach(async () => server?.close());

interface Case {
  readonly scheme: 'smtp' | 'smtps';
  /** Of the server; null: it offers no TLS. */
  readonly shows: typeof OURS | null;
  readonly trusted: readonly (typeof OURS)[];
}

/** @returns the answer of the server to a mail; else what went wrong */
async function send({ scheme, shows, trusted }: Case): Promise<string> {
  const tls = shows && { cert: shows.certificatePem, key: shows.keyPem, secure: scheme === 'smtps' };
  server = await startMailServer('gateway', PASSWORD, tls ?? undefined);
  const options = transportOf(`${scheme}://gateway:${encodeURIComponent(PASSWORD)}@mail.example`);
  const ca = trusted.map(({ certificatePem }) => certificatePem);
  const transport = createTransport({
    ...options,
    host: '127.0.0.1',
    port: server.port,
    tls: { ...options.tls, ...(ca.length > 0 ? { ca } : {}) },
  });
  const mail = { from: 'fleetgate@example.org', to: 'ada@example.com', subject: 'one', text: 'two' };
  return transport.sendMail(mail).then(
    ({ response }) => response,
    (error: unknown) => (error as Error).message,
  );
}

describe('a mail server elsewhere', () => {
  it.each(['smtp', 'smtps'] as const)('gets password and mail behind TLS, by %s', async (scheme) => {
    expect(await send({ scheme, shows: OURS, trusted: [OURS] })).toMatch(/^250 /);
    expect(server).toMatchObject({ passwords: [PASSWORD], mails: [{ to: ['ada@example.com'], text: 'two\n' }] });
  });

  it.each<[string, Case, RegExp]>([
    [
      'shows a certificate of no known authority',
      { scheme: 'smtps', shows: OURS, trusted: [] },
      /self-signed certificate/,
    ],
    ['shows one after STARTTLS', { scheme: 'smtp', shows: OURS, trusted: [] }, /self-signed certificate/],
    ['shows one of another name', { scheme: 'smtps', shows: OF_ANOTHER, trusted: [OF_ANOTHER] }, /does not match/],
    ['shows that after STARTTLS', { scheme: 'smtp', shows: OF_ANOTHER, trusted: [OF_ANOTHER] }, /does not match/],
    ['offers no STARTTLS', { scheme: 'smtp', shows: null, trusted: [] }, /STARTTLS/],
  ])('gets neither where it %s', async (_, what, says) => {
    expect(await send(what)).toMatch(says);
    expect(server).toMatchObject({ passwords: [], mails: [] });
  });
});
