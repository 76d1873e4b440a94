import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as the server took it. */
interface ReceivedMail {
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The answer to each recipient; null: it is taken. */
  refusal: { readonly code: number; readonly text: string } | null;
  /** Passwords that it was asked with. */
  readonly passwords: string[];
  close(): Promise<void>;
}

/**
 * A mail server on a loopback address, which asks for this user and password.
 * @param tls its certificate and key, and whether its connections begin with TLS; without it there is none
 */
export async function startMailServer(
  user: string,
  password: string,
  tls?: { readonly cert: string; readonly key: string; readonly secure: boolean },
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const passwords: string[] = [];
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    onAuth: (given, _session, answer) => {
      passwords.push(given.password ?? '');
      return given.username === user && given.password === password ? answer(null, { user }) : answer(new Error('no'));
    },
    onRcptTo: (_address, _session, answer) => {
      const { refusal } = made;
      answer(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData: (stream, session, answer) => {
      let raw = '';
      stream.on('data', (part: Buffer) => (raw += part.toString()));
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), ...read(raw) });
        answer(null);
      });
    },
  });
  server.on('error', () => undefined); // of a client that does not trust it
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const made: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refusal: null,
    passwords,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return made;
}

/** Of one part, in the two encodings that the gateway uses beside none. */
function read(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const body = raw.slice(end + 4);
  const encoding = headers['content-transfer-encoding'];
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? Buffer.from(unquoted(body), 'latin1').toString()
        : body;
  return { headers, text: text.replaceAll('\r\n', '\n') };
}

const unquoted = (text: string) =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
