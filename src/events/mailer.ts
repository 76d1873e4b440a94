import { isIP } from 'node:net';
import { isNativeError } from 'node:util/types';
import { Inject, Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { withTimeout } from '../platform/with-timeout.js';
import { type MessageBody } from './notification-bodies.js';
import { withoutHidden } from './webhook-address.js';

/* Gives mails to the server of the installation. Its certificate is checked, and a password is sent to it by TLS alone. */

/** Of one answer of the server. */
const ANSWER_MS = 10_000;

export interface SentMail {
  /** The answer of the server: 250 accepts the mail. Null: there was none. */
  readonly status: number | null;
  readonly error: string | null;
  /** Whether it is certain that nobody gets it. */
  readonly isUnsent: boolean;
}

const NO_ANSWER = { status: null, error: 'no complete answer in time' };

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
   * @param withinMs the whole attempt; the server may still accept it after that
   */
  async send(id: string, url: string, { headers, body }: MessageBody, at: Date, withinMs: number): Promise<SentMail> {
    const { SMTP_URL: server, SMTP_FROM: from } = this.config;
    if (server === undefined || from === undefined)
      return { status: null, error: 'SMTP_URL is not set', isUnsent: true };
    const sending = createTransport(transportOf(server)).sendMail({
      from: { name: 'Fleetgate', address: from },
      to: { name: '', address: url.slice('mailto:'.length) },
      subject: headers['subject']!,
      text: body,
      messageId: `<${id}@${from.split('@')[1]!}>`,
      date: at,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    try {
      const sent = await withTimeout(withinMs, sending, () => null);
      if (sent === null) return { ...NO_ANSWER, isUnsent: false };
      return { status: Number.parseInt(sent.response, 10), error: null, isUnsent: false };
    } catch (error) {
      const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
      const said = isNativeError(error) ? error.message : 'unknown';
      const hidden = withoutHidden(said, { url: server, format: 'cloudevents' });
      const status = typeof responseCode === 'number' ? responseCode : null;
      return { status, error: hidden, isUnsent: status !== null || command === 'CONN' };
    }
  }
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
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    dnsTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
