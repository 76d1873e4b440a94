import { lookup as systemLookup } from 'node:dns';
import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/*
 * One POST to the receiver of a webhook. An event must not open a path into the gateway's own network, so every address
 * is checked before a connection is opened: the one in the URL, or all that its host name resolves to. The connection
 * goes to a checked address, through no proxy, and follows no redirect. Connections are not shared: each one is checked.
 *
 * It is Node's own client, since receivers may be hostile: undici 7 ends the process when a paused body meets the end of
 * its connection (nodejs/undici#5360).
 */

/** Only the status of an answer counts, and the beginning of an error: the rest of a longer one is not read. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** The reason why an address is refused for webhooks; null: it is allowed. */
export type AddressRefusal = (address: string, port: number) => string | null;

export interface WebhookAnswer {
  readonly status: number;
  /** The beginning of its body. */
  readonly text: string;
}

/** @param end the deadline of the answer @throws Error when there is no answer; its message can be shown */
export function postWebhook(
  url: URL,
  headers: OutgoingHttpHeaders,
  body: string,
  forbids: AddressRefusal,
  end: AbortSignal,
): Promise<WebhookAnswer> {
  // Not only by the client: a request that never ends would delay the deliveries of all.
  const late = once(end, 'abort').then(() => Promise.reject(new Error('The answer took too long')));
  return Promise.race([post(url, headers, body, forbids, end), late]);
}

async function post(...[url, headers, body, forbids, end]: Parameters<typeof postWebhook>): Promise<WebhookAnswer> {
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const reason = isIP(host) === 0 ? null : forbids(host, port);
  if (reason !== null) throw new RefusedAddress(host, reason);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', headers, agent: false, signal: end, lookup: judgedLookup(port, forbids) };
    (isSecure ? requestHttps : requestHttp)(url, options, resolve)
      .on('error', reject)
      .on('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('The receiver changed the protocol of the connection'));
      })
      .on('close', () => reject(new Error('The connection ended without an answer')))
      .end(body);
  });
  return { status: answer.statusCode!, text: await beginningOf(answer) };
}

/** An answer is read to its end, or to its largest length: a receiver that has not ended is not done. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= ANSWER_BYTES_MAX) break; // closes the connection
  }
  return Buffer.concat(chunks).toString('utf8');
}

class RefusedAddress extends Error {
  constructor(address: string, reason: string) {
    super(`The address ${address} is not for webhooks: ${reason}`);
  }
}

/** Resolves a name to those of its addresses that are allowed for webhooks. */
function judgedLookup(port: number, forbids: AddressRefusal): LookupFunction {
  return (hostname, options, done) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const reasons = found.map(({ address }) => forbids(address, port));
      const allowed = found.filter((_, index) => reasons[index] === null);
      const first = allowed[0];
      if (!first) return done(new RefusedAddress(found[0]?.address ?? hostname, reasons[0] ?? 'the name has none'), []);
      return options.all ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}
