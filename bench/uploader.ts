/* One large upload over a connection of its own, from a process of its own: a POST whose body is written as fast as it is taken. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { serveParent, startHelper, type Helper } from './processes.js';

export interface UploadQuestion {
  readonly port: number;
  readonly tls: boolean;
  /** The head of the request, its empty line included; Content-Length is `bytes`. */
  readonly head: string;
  readonly bytes: number;
}

/** Answers with the milliseconds from the first byte of the request to the first byte of a 2xx answer. */
export type Uploader = Helper<null, UploadQuestion, number>;

export const startUploader = (): Promise<Uploader> => startHelper('uploader.js');

/** Random, so that nothing on the way can make less of it. */
const PIECE = randomBytes(64 * 1024);

async function upload({ port, tls, head, bytes }: UploadQuestion): Promise<number> {
  const target = { host: '127.0.0.1', port };
  const socket = tls ? connectTls({ ...target, rejectUnauthorized: false }) : connectTcp(target);
  try {
    await once(socket, tls ? 'secureConnect' : 'connect');
    const startedAt = performance.now();
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    answer.catch(() => undefined); // seen below, where it is waited for
    socket.write(head);
    for (let left = bytes; left > 0; left -= PIECE.length) {
      const taken = socket.write(left < PIECE.length ? PIECE.subarray(0, left) : PIECE);
      if (!taken) await Promise.race([once(socket, 'drain'), answer]);
    }
    const text = String((await answer)[0]);
    if (!text.startsWith('HTTP/1.1 2')) throw new Error(`an upload was answered with ${text.slice(0, 300)}`);
    return performance.now() - startedAt;
  } finally {
    socket.destroy();
  }
}

if (process.argv[1]?.endsWith('uploader.js')) await serveParent(async () => ({ ready: null, answer: upload }));
