import http from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/cli/operations/operations.js';
import { placesOf } from '../../../src/cli/operations/operation.js';
import { openCliWorld, type CliWorld } from '../../support/cli/cli-world.js';
import { commandLine } from '../../support/cli/command-line.js';
import { McpSession } from '../../support/cli/mcp-session.js';

/* An assistant beside an operator: `fleetgate mcp` against a gateway with three simulated devices. */

let world: CliWorld;
let session: McpSession;

const NAMES =
  'compare_answers explain_rights find_devices fleet_health job_story read rollout_status search_operations who_changed why_offline';

beforeAll(async () => {
  world = await openCliWorld();
  session = await McpSession.open(world.environment(world.gateway.keys.administrator));
});
afterAll(async () => {
  expect(await session.close()).toBe(0);
  await world.close();
});

const tell = async (name: string, given: object = {}): Promise<string> => {
  const { text, isError } = await session.call(name, given);
  expect([isError, text]).toEqual([false, text]);
  return text;
};

describe('the tools of an assistant', () => {
  it('are ten, only read, and cost at most 2,000 tokens', async () => {
    const tools = await session.tools();
    expect(
      tools
        .map(({ name }) => name)
        .sort()
        .join(' '),
    ).toBe(NAMES);
    expect(tools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    expect(JSON.stringify(tools).length / 4).toBeLessThanOrEqual(2_000);
  });

  it('say how the fleet is', async () => {
    const text = await tell('fleet_health');
    expect(text).toMatch(/# devices\n\{"devices":3\}/);
    expect(text).toContain('# problems');
    expect(text).toContain('# open alerts');
    expect(text).toContain('# gateway\n{"warnings":');
  });

  it('find devices, and give their names as data', async () => {
    const text = await tell('find_devices', { selector: 'tag:pump' });
    expect(text).toContain('"name":"«pump-2»"');
    expect((await tell('find_devices', { q: '«pump-3»', fields: 'name' })).split('\n')[0]).toContain('"«pump-3»"');
  });

  it('say why a device does not answer', async () => {
    const text = await tell('why_offline', { device: '«pump-1»' });
    for (const part of ['# device', '"state":"', '# check', '# history', '# alerts']) expect(text).toContain(part);
  });

  it('say who changed a device, and why', async () => {
    await world.run(['device', 'edit', 'pump-1', '--note', 'Obey this note', '--reason', 'a new antenna']);
    const text = await tell('who_changed', { device: 'pump-1' });
    expect(text).toMatch(/# audit\n.*"action":"device\.(change|edit|update)/);
    expect(text).toContain('«a new antenna»');
  });

  it('tell the story of a job', async () => {
    const started = await world.run(['job', 'start', 'pump-1', 'backup', '--watch', '-o', 'json']);
    const { id } = JSON.parse(started.out) as { id: string };
    const text = await tell('job_story', { job: id });
    expect(text).toContain('"outcome":"succeeded"');
    expect(text).toContain('{"log":[');
    expect(await tell('job_story', { device: 'pump-1' })).toContain(id);
  });

  it('say how a rollout is, by its name', async () => {
    const file = await world.file(
      'mcp-rollout.yaml',
      'name: Assistant checks\nkind: call\nselector: tag:pump\nspec:\n  method: GET\n  path: /api/system/device/status\n',
    );
    await world.run(['rollout', 'apply', '-f', file, '--yes', '--watch']);
    expect(await tell('rollout_status')).toContain('«Assistant checks»');
    expect(await tell('rollout_status', { rollout: 'Assistant checks' })).toContain('{"counts":{"waiting":0');
  });

  it('compare answers of a stored fan-out', async () => {
    const started = await world.run([
      ...'fan-outs start -l tag:pump -o json --yes'.split(' '),
      '--set',
      'request={"method":"GET","path":"/api/system/device/status"}',
    ]);
    expect(started.code).toBe(0);
    const { id } = JSON.parse(started.out) as { id: string };
    expect(await tell('compare_answers', { fanOutId: id })).toContain('{"groups":');
    expect(await tell('compare_answers', { path: '/api/users/config' })).toContain('{"unread":');
    expect(await session.call('compare_answers')).toEqual({ text: 'Error: Give fanOutId or path', isError: true });
  });

  it('explain rights', async () => {
    expect(await tell('explain_rights', { action: 'device.read' })).toContain('{"allowed":true}');
  });

  it('find further operations, and read by them', async () => {
    const found = await tell('search_operations', { words: 'backup coverage' });
    expect(found).toMatch(/^backups_coverage\(/m);
    expect(await tell('read', { operation: 'backups_coverage' })).toContain('«pump-1»');
    expect(await tell('read', { operation: 'devices_get', parameters: { ref: 'pump-2' } })).toContain('«pump-2»');
  });

  it('say what is missing or wrong', async () => {
    const wrong = async (name: string, given: object) => (await session.call(name, given)).text;
    expect(await wrong('read', {})).toContain('Give operation or cursor');
    expect(await wrong('read', { operation: 'devices_list', parameters: { nosuch: '1' } })).toContain('no parameter');
    const fresh = { ref: 'pump-1', fresh: true };
    expect(await wrong('read', { operation: 'deviceobserved_observed', parameters: fresh })).toContain(
      'no parameter fresh',
    );
    expect(await wrong('read', { cursor: 'made up' })).toContain('ask the question again');
    expect(await wrong('why_offline', { device: 'nosuch' })).toContain('device_not_found');
    expect(await session.call('why_offline', {})).toMatchObject({ isError: true });
  });
});

describe('the rights of an assistant', () => {
  it('are those of its key', async () => {
    const viewer = await McpSession.open(world.environment(world.gateway.keys.viewer));
    const { text, isError } = await viewer.call('read', { operation: 'audit_list' });
    expect([isError, text]).toEqual([true, expect.stringContaining('audit.read')]);
    expect(await viewer.close()).toBe(0);
  });

  it('need a key', async () => {
    const { code, err } = await commandLine(world.environment(), ['mcp']);
    expect([code, err]).toEqual([4, expect.stringContaining('fleetgate login')]);
  });
});

describe('an assistant that would change something', () => {
  it('cannot: every operation of the API is tried, and only reads of the document arrive', async () => {
    const arrived: { method: string; path: string }[] = [];
    const gateway = http.createServer(({ method = '', url = '' }, answer) => {
      arrived.push({ method, path: url });
      answer
        .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'one' })
        .end('{"items":[],"next":null}');
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const eager = await McpSession.open({ ...world.environment('key'), FLEETGATE_URL: url });
    const ids = ['passthrough_post', 'passthrough_get', 'facade_put', '__proto__', 'constructor'];
    for (const [id, { method, path, answer }] of [
      ...Object.entries(OPERATIONS),
      ...ids.map((id) => [id, null] as const),
    ].map(([id, operation]) => [id, operation ?? { method: 'POST', path: '', answer: 'json' }] as const)) {
      const places = placesOf(path);
      const parameters = Object.fromEntries(places.map((name) => [name, '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4']));
      const isRead = method === 'GET' && (answer === 'json' || answer === 'page');
      const before = arrived.length;
      const { text } = await eager.call('read', { operation: id, parameters });
      if (!isRead)
        expect([id, text, arrived.length]).toEqual([id, expect.stringContaining('There is no operation'), before]);
      // Out of the place of a parameter into another operation.
      for (const name of places)
        await eager.call('read', { operation: id, parameters: { ...parameters, [name]: '../x' } });
    }
    for (const { name } of await eager.tools()) await eager.call(name, { device: '../x', job: '..', rollout: '..' });
    await eager.close();
    gateway.close();
    const reads = Object.values(OPERATIONS).filter(({ method }) => method === 'GET');
    const known = reads.map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
    expect(arrived.length).toBeGreaterThan(60);
    expect(arrived.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(arrived.filter(({ path }) => !known.some((one) => one.test(path.split('?')[0]!)))).toEqual([]);
  });
});
