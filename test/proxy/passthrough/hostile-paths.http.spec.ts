import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_PATHS } from './hostile-paths.js';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* Every hostile path, with three verbs, over a raw socket: no client repairs it on its way. */

/**
 * Two are the device in the registry and say nothing to the device itself; blanks at the end of a request line are taken
 * off by HTTP, so nothing is left in there to be read in two ways.
 */
const isSentAsItIs = (path: string) => path !== '' && path !== '/' && !path.endsWith(' ');

let proxy: ProxyWorld;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos' });
  await proxy.ask(0, 'GET', '/api/system/device/status');
});
afterAll(async () => {
  await proxy.close();
});

describe.each(['GET', 'POST', 'DELETE'])('%s of a path that could be read in two ways', (method) => {
  it('reaches no device, for each of them', async () => {
    const before = proxy.fleet.ledger.summary(0).requests;

    for (const path of HOSTILE_PATHS.filter(isSentAsItIs)) {
      const status = await statusOf(method, `/v1/devices/${proxy.ids[0]}${path}`);
      expect({ path, isRefused: status >= 400 && status < 500 }).toEqual({ path, isRefused: true });
    }

    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });
});

describe('a canonical path', () => {
  it.each(['/api/x/a%20b', '/api/system/device/status/', "/api/x/a-b_c~!$&'()*+,=:@", '/api/x/config?a=b&c=%20d'])(
    'reaches the device as it was sent: %s',
    async (path) => {
      const before = proxy.fleet.ledger.entries({ device: 0 }).at(-1)!.seq;
      await statusOf('GET', `/v1/devices/${proxy.ids[0]}${path}`);
      expect(proxy.fleet.ledger.entries({ device: 0, since: before }).map((line) => line.path)).toEqual([path]);
    },
  );
});

describe('a request line in another form', () => {
  it('is refused: absolute form', async () => {
    const target = `http://gateway.example/v1/devices/${proxy.ids[0]}/api/system/device/status`;
    const before = proxy.fleet.ledger.summary(0).requests;
    expect(await statusOf('GET', target)).toBe(400);
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });
});

/** Writes a request line as bytes (one character, one byte) and reads the status of the answer. */
function statusOf(method: string, target: string): Promise<number> {
  const { hostname, port } = new URL(proxy.world.url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
    socket.write(
      Buffer.from(
        `${method} ${target} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${proxy.world.keys.operator}\r\n` +
          'Content-Length: 0\r\nConnection: close\r\n\r\n',
        'utf8',
      ),
    );
  });
}
