import { once } from 'node:events';
import http from 'node:http';
import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditExport } from '../../src/audit/log/export.js';
import { Verifier } from '../../src/audit/log/verifier.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* A reader may leave at any moment; the next one is answered all the same. */

let world: TestGateway;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
});
afterAll(() => world.close());

/** Lets a reader ask, and leave before they are given anything: `held` is what keeps it back. */
async function leaveBefore(path: string, held: { readonly reached: Promise<void>; readonly goOn: () => void }) {
  const connected = once(world.gateway.app.getHttpServer(), 'connection') as Promise<[Socket]>;
  const request = http.request(world.url + path, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${world.keys.administrator}`, 'content-type': 'application/json' },
  });
  request.on('error', () => undefined); // it breaks by our own hand
  request.end('{}');
  const [socket] = await connected;
  await held.reached;
  request.destroy();
  await once(socket, 'close');
  held.goOn();
}

/** The next answer of this kind is made, and kept back until it is told to go on. */
function holdUp(part: AuditExport | Verifier) {
  const start = part.start.bind(part) as (...given: unknown[]) => Promise<Readable>;
  let goOn = () => {};
  const opened = new Promise<void>((resolve) => (goOn = resolve));
  const reached = new Promise<void>((resolve) => {
    const late = async (...given: unknown[]) => {
      Object.assign(part, { start }); // the next one is given at once
      const answer = await start(...given);
      resolve();
      await opened;
      return answer;
    };
    Object.assign(part, { start: late });
  });
  return { reached, goOn };
}

const exports = async () =>
  (await world.api.get<{ items: { outcome: string | null }[] }>('/v1/audit?action=audit.export')).items.map(
    ({ outcome }) => outcome,
  );

describe('a reader that leaves before the first byte', () => {
  it('of an export holds up no other export, and the audit says that it failed', async () => {
    const before = (await exports()).length;
    await leaveBefore('/v1/audit/export', holdUp(world.gateway.app.get(AuditExport)));
    await until(async () => (await exports()).length > before);
    await until(async () => (await exports())[0] === 'failed');
    expect(await world.api.send<string>('POST', '/v1/audit/export', {})).toMatchObject({
      status: 200,
      body: expect.stringContaining('{"proof":"end"'),
    });
    await until(async () => (await exports())[0] === 'succeeded');
  });

  it('of a verification holds up no other one', async () => {
    await leaveBefore('/v1/audit/verify', holdUp(world.gateway.app.get(Verifier)));
    const answer = await world.api.send<string>('POST', '/v1/audit/verify', {});
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"summary"') });
  });
});
