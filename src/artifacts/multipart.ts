import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

/** A form with one file in it, as it goes out. */
export interface Multipart {
  readonly headers: { readonly 'content-type': string; readonly 'content-length': string };
  readonly body: Readable;
}

/**
 * Writes multipart/form-data (RFC 7578) around a file that flows through: fields first, then the part `file`, so that a
 * reader that streams knows the fields by the time the file comes. The length is known, since devices take no chunks.
 * @param file `bytes` is its exact length
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: { readonly name: string; readonly bytes: number; readonly content: Readable },
): Multipart {
  const boundary = `fleetgate-${randomBytes(16).toString('hex')}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${parts.join('')}--${boundary}\r\n` +
      `content-disposition: form-data; name="file"; filename="${quoted(file.name)}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.bytes + tail.length),
    },
    body: Readable.from(around(head, file.content, tail), { objectMode: false }).once('close', () =>
      file.content.destroy(),
    ),
  };
}

async function* around(head: Buffer, content: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  for await (const chunk of content as AsyncIterable<Buffer>) yield chunk;
  yield tail;
}

/** RFC 7578, section 2, leaves the escapes of browsers: a quote and line ends by percent. */
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}
