import { createServer, type Server, type Socket } from 'node:net';

/*
 * Devices that are broken or mean harm, as raw bytes: each behaviour is what a socket writes after it has read a request.
 * `expect` names the fault that the exchange must end with, or `answer` where it must bear it; `an end` where either is
 * right as long as it is bounded.
 */

export interface Behaviour {
  readonly name: string;
  readonly expect: 'answer' | 'cut' | 'timeout' | 'too_large' | 'protocol' | 'an end';
  /** Status that must be seen where there is an answer. */
  readonly status?: number;
  readonly write: (socket: Socket) => void;
}

const say = (text: string | Buffer) => (socket: Socket) => void socket.end(text);
const keepOpen = (text: string) => (socket: Socket) => void socket.write(text);
const http = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`;
const json = (body: string, status = '200 OK') =>
  http(`${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`, body);

/** Writes a piece again and again, as fast as it is taken or every `everyMs`. */
const forever =
  (head: string, piece: string | Buffer, everyMs = 0) =>
  (socket: Socket) => {
    socket.write(head);
    const next = () => {
      if (socket.destroyed) return;
      if (everyMs > 0) {
        socket.write(piece);
        setTimeout(next, everyMs);
      } else if (socket.write(piece)) setImmediate(next);
      else socket.once('drain', next);
    };
    next();
  };

const LARGE = Buffer.alloc(64 * 1024, 'x');

export const BEHAVIOURS: readonly Behaviour[] = [
  // Nothing, or not enough
  { name: 'closes without a word', expect: 'cut', write: (socket) => void socket.end() },
  { name: 'resets without a word', expect: 'cut', write: (socket) => void socket.resetAndDestroy() },
  { name: 'says nothing', expect: 'timeout', write: () => undefined },
  { name: 'stops in the status line', expect: 'cut', write: say('HTTP/1.1 20') },
  { name: 'hangs in the status line', expect: 'timeout', write: keepOpen('HTTP/1.1 20') },
  { name: 'stops in a header', expect: 'cut', write: say('HTTP/1.1 200 OK\r\nContent-Le') },
  {
    name: 'hangs after the headers',
    expect: 'timeout',
    write: keepOpen('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'),
  },
  { name: 'sends less than it announced', expect: 'cut', write: say(http('200 OK\r\nContent-Length: 100', 'short')) },
  {
    name: 'resets in the middle of the body',
    expect: 'cut',
    write: (socket) => {
      socket.write(http('200 OK\r\nContent-Length: 100', 'short'), () => socket.resetAndDestroy());
    },
  },
  {
    name: 'ends in the middle of a chunk',
    expect: 'cut',
    write: say(http('200 OK\r\nTransfer-Encoding: chunked', 'a\r\nshort')),
  },
  {
    name: 'leaves out the last chunk',
    expect: 'cut',
    write: say(http('200 OK\r\nTransfer-Encoding: chunked', '5\r\nshort\r\n')),
  },
  // Never enough
  { name: 'drips a body', expect: 'timeout', write: forever(http('200 OK\r\nContent-Length: 99999'), 'x', 20) },
  {
    name: 'drips chunks',
    expect: 'timeout',
    write: forever(http('200 OK\r\nTransfer-Encoding: chunked'), '1\r\nx\r\n', 20),
  },
  { name: 'drips a header', expect: 'timeout', write: forever('HTTP/1.1 200 OK\r\nX: ', 'x', 20) },
  { name: 'drips blank lines before its answer', expect: 'timeout', write: forever('', '\r\n', 20) },
  { name: 'says 102 for ever', expect: 'timeout', write: forever('', 'HTTP/1.1 102 Processing\r\n\r\n', 20) },
  {
    name: 'says 103 for ever',
    expect: 'timeout',
    write: forever('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 20),
  },
  // Too much
  { name: 'never ends a body without length', expect: 'too_large', write: forever('HTTP/1.1 200 OK\r\n\r\n', LARGE) },
  {
    name: 'never ends its chunks',
    expect: 'too_large',
    write: forever(http('200 OK\r\nTransfer-Encoding: chunked'), `10000\r\n${LARGE.toString()}\r\n`),
  },
  {
    name: 'announces more than allowed',
    expect: 'too_large',
    write: keepOpen(http('200 OK\r\nContent-Length: 9999999999')),
  },
  {
    name: 'announces a length beyond all numbers',
    expect: 'an end',
    write: keepOpen(http('200 OK\r\nContent-Length: 99999999999999999999999')),
  },
  { name: 'never ends a header', expect: 'too_large', write: forever('HTTP/1.1 200 OK\r\nX: ', LARGE) },
  {
    name: 'never ends its headers',
    expect: 'too_large',
    write: forever('HTTP/1.1 200 OK\r\n', 'X-Y: z\r\n'.repeat(100)),
  },
  { name: 'never ends its header names', expect: 'too_large', write: forever('HTTP/1.1 200 OK\r\n', 'x'.repeat(1000)) },
  { name: 'never ends its reason', expect: 'an end', write: forever('HTTP/1.1 200 ', LARGE) },
  {
    name: 'sends more than it announced',
    expect: 'an end',
    write: keepOpen(http('200 OK\r\nContent-Length: 2', '{}{}{}{}{}')),
  },
  {
    name: 'never ends a chunk extension',
    expect: 'an end',
    write: forever(http('200 OK\r\nTransfer-Encoding: chunked', '1;'), LARGE),
  },
  {
    name: 'never ends its trailers',
    expect: 'an end',
    write: forever(http('200 OK\r\nTransfer-Encoding: chunked', '0\r\n'), 'X-Y: z\r\n'.repeat(100)),
  },
  // Not HTTP
  { name: 'speaks SSH', expect: 'protocol', write: say('SSH-2.0-dropbear_2022.83\r\n') },
  { name: 'speaks SMTP', expect: 'protocol', write: say('220 mail.example ESMTP\r\n') },
  { name: 'speaks HTTP/2', expect: 'protocol', write: say(Buffer.from('000012040000000000', 'hex')) },
  { name: 'speaks HTTP/0.9', expect: 'protocol', write: say('<html>hello</html>') },
  {
    name: 'speaks noise',
    expect: 'protocol',
    write: say(Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 97) % 256))),
  },
  { name: 'sends NULs', expect: 'protocol', write: say(Buffer.alloc(500)) },
  { name: 'puts a NUL into a header', expect: 'protocol', write: say('HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n') },
  {
    name: 'folds a header over two lines',
    expect: 'an end',
    write: say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\nxx'),
  },
  {
    name: 'gives two lengths',
    expect: 'an end',
    write: say(http('200 OK\r\nContent-Length: 2\r\nContent-Length: 3', '{}x')),
  },
  {
    name: 'gives a length and chunks',
    expect: 'an end',
    write: say(http('200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked', '5\r\nshort\r\n0\r\n\r\n')),
  },
  { name: 'gives a negative length', expect: 'protocol', write: say(http('200 OK\r\nContent-Length: -1', '{}')) },
  { name: 'gives a length in words', expect: 'protocol', write: say(http('200 OK\r\nContent-Length: two', '{}')) },
  {
    name: 'gives a chunk size that is none',
    expect: 'protocol',
    write: say(http('200 OK\r\nTransfer-Encoding: chunked', 'zz\r\nxx\r\n')),
  },
  {
    name: 'gives a chunk size beyond all numbers',
    expect: 'protocol',
    write: say(http('200 OK\r\nTransfer-Encoding: chunked', 'ffffffffffffffffff\r\n')),
  },
  { name: 'gives a status of four digits', expect: 'protocol', write: say(http('2000 OK\r\nContent-Length: 0')) },
  { name: 'gives a status in words', expect: 'protocol', write: say(http('OK OK\r\nContent-Length: 0')) },
  {
    name: 'switches protocols unasked',
    expect: 'an end',
    write: say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxxxx'),
  },
  { name: 'says 100 unasked', expect: 'an end', write: keepOpen('HTTP/1.1 100 Continue\r\n\r\n') },
  // HTTP, and nonsense in it: passed on as it is
  {
    name: 'redirects to the metadata service',
    expect: 'answer',
    status: 302,
    write: say(http('302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0')),
  },
  {
    name: 'redirects to itself',
    expect: 'answer',
    status: 307,
    write: say(http('307 Temporary Redirect\r\nLocation: /api/x\r\nContent-Length: 0')),
  },
  {
    name: 'answers HTML',
    expect: 'answer',
    status: 200,
    write: say(http('200 OK\r\nContent-Type: text/html\r\nContent-Length: 6', '<html>')),
  },
  { name: 'answers half a JSON', expect: 'answer', status: 200, write: say(json('{"success":tr')) },
  {
    name: 'answers JSON of 10,000 levels',
    expect: 'answer',
    status: 200,
    write: say(json(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)),
  },
  {
    name: 'answers with __proto__',
    expect: 'answer',
    status: 200,
    write: say(json('{"success":true,"__proto__":{"polluted":1},"data":{"constructor":{"prototype":{"polluted":1}}}}')),
  },
  {
    name: 'answers with lone surrogates',
    expect: 'answer',
    status: 200,
    write: say(json('{"success":true,"data":"\\ud800"}')),
  },
  {
    name: 'answers with NUL characters',
    expect: 'answer',
    status: 200,
    write: say(json('{"success":true,"data":"a\\u0000b"}')),
  },
  {
    name: 'answers bytes that are no UTF-8',
    expect: 'answer',
    status: 200,
    write: say(Buffer.concat([Buffer.from(http('200 OK\r\nContent-Length: 3')), Buffer.of(0xff, 0xfe, 0xfd)])),
  },
  {
    name: 'answers a number beyond all numbers',
    expect: 'answer',
    status: 200,
    write: say(json('{"success":true,"data":1e999999}')),
  },
  { name: 'answers the wrong envelope', expect: 'answer', status: 200, write: say(json('{"ok":1}')) },
  { name: 'answers null', expect: 'answer', status: 200, write: say(json('null')) },
  { name: 'answers a number', expect: 'answer', status: 200, write: say(json('42')) },
  { name: 'answers nothing with 200', expect: 'answer', status: 200, write: say(http('200 OK\r\nContent-Length: 0')) },
  {
    name: 'answers an unknown status',
    expect: 'answer',
    status: 799,
    write: say(http('799 Odd\r\nContent-Length: 0')),
  },
  {
    name: 'claims an encoding that was not asked for',
    expect: 'answer',
    status: 200,
    write: say(http('200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4', 'nope')),
  },
  {
    name: 'sets cookies',
    expect: 'answer',
    status: 200,
    write: say(http('200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 2', '{}')),
  },
  {
    name: 'answers before it has read the request',
    expect: 'answer',
    status: 413,
    write: say(http('413 Too Large\r\nConnection: close\r\nContent-Length: 2', '{}')),
  },
];

export interface HostileDevice {
  readonly origin: string;
  readonly port: number;
  behave(write: Behaviour['write']): void;
  close(): Promise<void>;
}

/** A listener that does what it is told with each connection that sent a first byte. */
export async function startHostileDevice(): Promise<HostileDevice> {
  let behaviour: Behaviour['write'] = () => undefined;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', () => behaviour(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    behave: (write) => {
      behaviour = write;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
