/*
 * The load: callers who each send a request over their own connection, wait for the complete answer, and send it again.
 * Bare sockets in a separate process, so that the load costs less than what it loads. An answer that is not 2xx ends the
 * measurement: a fast refusal must not pass for speed.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { percentile } from './measuring.js';
import { serveParent, startHelper, type Helper } from './processes.js';

export interface LoadQuestion {
  readonly port: number;
  readonly tls?: boolean;
  /** The bytes of one request for each caller. */
  readonly requests: readonly string[];
  /** How long it lasts; a number of answers of all callers together can end it as well. */
  readonly seconds?: number;
  readonly answers?: number;
  /** Rest of each caller between two requests. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type Load = Helper<null, LoadQuestion, LoadResult>;

export const startLoad = (): Promise<Load> => startHelper('load.js');

/** The bytes of a request. */
export function requestText(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const all: Record<string, string> = { host: '127.0.0.1', ...headers };
  if (body !== '') Object.assign(all, { 'content-type': 'application/json', 'content-length': String(body.length) });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** One caller until `isOver`. Adds the milliseconds of each answer to `times`. */
function call(
  socket: Socket,
  request: string,
  isOver: (nowMs: number) => boolean,
  pauseMs: number,
  times: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    /** Bytes of the answer that are still to come; NaN while its head is. */
    let missing = Number.NaN;
    let head = '';
    const send = () => {
      missing = Number.NaN;
      head = '';
      sentAt = performance.now();
      socket.write(request);
    };
    const answered = () => {
      const now = performance.now();
      times.push(now - sentAt);
      if (isOver(now)) resolve();
      else if (pauseMs > 0) setTimeout(send, pauseMs);
      else send();
    };
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('a connection was closed in the middle of a measurement')));
    socket.on('data', (chunk: Buffer) => {
      if (Number.isNaN(missing)) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(head);
        if (!head.startsWith('HTTP/1.1 2') || !length) {
          reject(new Error(`an answer does not count: ${head.slice(0, 400)}`));
          return;
        }
        missing = Number(length[1]) - (head.length - end - 4);
      } else missing -= chunk.length;
      if (missing === 0) answered();
      else if (missing < 0) reject(new Error('an answer is longer than it says'));
    });
    send();
  });
}

function open({ port, tls = false }: LoadQuestion): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port };
    const socket = tls ? connectTls({ ...target, rejectUnauthorized: false }) : connectTcp(target);
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

async function run(question: LoadQuestion): Promise<LoadResult> {
  const { requests, seconds = Infinity, answers = Infinity, pauseMs = 0 } = question;
  const sockets = await Promise.all(requests.map(() => open(question)));
  const times: number[] = [];
  const startedAt = performance.now();
  const isOver = (nowMs: number) => nowMs >= startedAt + seconds * 1000 || times.length >= answers;
  try {
    await Promise.all(requests.map((request, index) => call(sockets[index]!, request, isOver, pauseMs, times)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  return {
    answers: times.length,
    perSecond: times.length / elapsedSeconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}

if (process.argv[1]?.endsWith('load.js')) await serveParent(async () => ({ ready: null, answer: run }));
