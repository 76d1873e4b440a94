import http from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { type ReadableStream as NodeReadableStream } from 'node:stream/web';

/*
 * `fetch` on `node:http`. The one of Node compiles its parser from WebAssembly in every process: 200 ms of processor time,
 * more than all else that a short command does. It does what the client needs, and no more: no redirects, no cache, no
 * decompression.
 */

/** Answers with these statuses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends a request, and gives its answer when the head of it has come. @throws what `node:http` does without an answer */
export async function httpFetch(request: Request, { signal }: Pick<RequestInit, 'signal'>): Promise<Response> {
  const isJson = (request.headers.get('content-type') ?? '').startsWith('application/json');
  const body = isJson ? Buffer.from(await request.arrayBuffer()) : request.body;
  const { request: open } = request.url.startsWith('https:') ? (await import('node:https')).default : http;
  return new Promise((resolve, reject) => {
    const sent = open(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(signal ? { signal } : {}),
    });
    sent.on('error', reject).on('response', (answer) => resolve(responseOf(answer)));
    if (body === null || body instanceof Buffer) sent.end(body ?? undefined);
    // An upload that breaks off ends the request, whose error is the one above.
    else pipeline(Readable.fromWeb(body as NodeReadableStream), sent, () => undefined);
  });
}

function responseOf(answer: http.IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (!WITHOUT_BODY.has(status)) return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}
