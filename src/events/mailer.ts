import { isIP } from 'node:net';
import { unescape } from 'node:querystring';
import { Inject, Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { type MessageBody } from './notification-bodies.js';

/* Gives mails to the server of the installation. Its certificate is checked, and a password is sent to it by TLS alone. */

/** The whole attempt, as of a webhook, and each answer of the server. */
const WITHIN_MS = 15_000;
const ANSWER_MS = 7_000;

export interface SentMail {
  /** The answer of the server: 250 accepts the mail. Null: there was none. */
  readonly status: number | null;
  readonly error: string | null;
  /** Whether it is certain that nobody gets it. */
  readonly isUnsent: boolean;
}

@Injectable()
export class Mailer {
  constructor(@Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'SMTP_URL' | 'SMTP_FROM'>) {}

  /** @throws AppError `mail_not_set_up` */
  requireSetUp(): void {
    if (this.config.SMTP_URL === undefined) throw new AppError('mail_not_set_up');
  }

  /**
   * @param id names the mail: a second attempt is the same mail for programs
   * @param url `mailto:` and the address
   */
  async send(id: string, url: string, { headers, body }: MessageBody, at: Date): Promise<SentMail> {
    const { SMTP_URL: server, SMTP_FROM: from } = this.config;
    if (server === undefined || from === undefined)
      return { status: null, error: 'SMTP_URL is not set', isUnsent: true };
    const signal = AbortSignal.timeout(WITHIN_MS);
    try {
      const { response } = await createTransport(transportOf(server)).sendMail({
        from: { name: 'Fleetgate', address: from },
        to: { name: '', address: url.slice('mailto:'.length) },
        subject: headers['subject']!,
        text: body,
        messageId: `<${id}@${from.split('@')[1]!}>`,
        date: at,
        headers: { 'Auto-Submitted': 'auto-generated' },
        xMailer: false,
        signal,
      });
      return { status: Number.parseInt(response, 10), error: null, isUnsent: false };
    } catch (error) {
      const fault = error as Fault;
      const said = signal.aborted ? `no complete answer within ${WITHIN_MS / 1_000} seconds` : saidBy(fault);
      const status = fault.responseCode ?? null;
      return { status, error: withoutLogin(said, server), isUnsent: status !== null || fault.command === 'CONN' };
    }
  }
}

type Fault = Error & { readonly code?: string; readonly command?: string; readonly responseCode?: number };

/** Servers may repeat what a login sent, so of a refused one only the number is shown. */
const saidBy = ({ code, responseCode, message }: Fault): string =>
  code === 'EAUTH' ? `The mail server refused the login of SMTP_URL (${responseCode ?? 'no answer'})` : message;

/** Without user and password, as they are and as a login sends them. */
function withoutLogin(text: string, server: string): string {
  const { username, password } = new URL(server);
  const [user, secret] = [unescape(username), unescape(password)];
  const encoded = [user, secret, `\0${user}\0${secret}`].map((part) => Buffer.from(part).toString('base64'));
  return [username, password, user, secret, ...encoded]
    .filter((part) => part !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, part) => shown.replaceAll(part, '…'), text);
}

/** @param server SMTP_URL @returns what nodemailer connects by; a relay on this machine needs no TLS */
export function transportOf(server: string) {
  const { protocol, hostname, port, username, password } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isLoopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  const secure = protocol === 'smtps:';
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLoopback,
    ignoreTLS: !secure && isLoopback,
    tls: { minVersion: 'TLSv1.2' as const },
    // A server that offers no login would get the mail without one.
    ...(username === '' ? {} : { auth: { user: unescape(username), pass: unescape(password) }, forceAuth: true }),
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    dnsTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
