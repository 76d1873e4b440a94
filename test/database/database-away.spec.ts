import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { checkedUrls } from '../../src/database/connection/pooler-mode.js';
import { freshDatabase } from '../support/database.js';
import { freePort } from '../support/servers/free-port.js';

/* A database that is away when the gateway starts. */

it('is named by its setting when it does not come', async () => {
  const url = `postgres://ada:hunter2@127.0.0.1:${await freePort()}/fleet`;
  const said: unknown[] = [];
  const log = { warn: (text: unknown) => said.push(text) };
  const checked = checkedUrls({ appUrl: url, ownerUrl: url }, { log, forMs: 10 });
  await expect(checked).rejects.toThrow(
    /^The database at 127\.0\.0\.1:\d+ of DATABASE_URL does not answer \(ECONNREFUSED\): start it, or correct DATABASE_URL\.$/,
  );
  expect(said).toHaveLength(1);
  expect(String(said[0])).not.toContain('hunter2');
});

it('is taken when it comes', async () => {
  const database = await freshDatabase();
  const { hostname, port } = new URL(database.url);
  const url = new URL(database.url);
  url.port = String(await freePort());
  url.hostname = '127.0.0.1';
  const proxy = createServer((socket) => {
    const inner = connect(Number(port), hostname);
    socket.pipe(inner).pipe(socket);
    for (const one of [socket, inner]) one.on('error', () => undefined);
  });
  // It listens as soon as the first try has failed.
  const log = { warn: () => void proxy.listen(Number(url.port), '127.0.0.1') };
  const urls = { appUrl: url.href, ownerUrl: url.href };
  await expect(checkedUrls(urls, { log })).resolves.toEqual({ ...urls, sharesSessions: false });
  proxy.close();
  await database.drop();
});

it('is not waited for when the gateway is told to stop', async () => {
  const url = `postgres://127.0.0.1:${await freePort()}/fleet`;
  const stop = new AbortController();
  const log = { warn: () => stop.abort() };
  const checked = checkedUrls({ appUrl: url, ownerUrl: url }, { log, stop: stop.signal });
  await expect(checked).rejects.toThrow(/^it was told to stop\. The database at 127/);
});
