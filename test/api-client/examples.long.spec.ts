import { afterAll, beforeAll, expect, it } from 'vitest';
import ts from 'typescript';
import * as client from '../../src/api-client/api-client.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { programOf } from '../support/source/page-examples.js';
import { until } from '../support/until.js';

/* The examples of docs/reference/client.md, one after the other, against a gateway and a simulated device. */

let world: TestGateway;
let fleet: Fleet;

beforeAll(async () => {
  [world, fleet] = await Promise.all([
    startTestGateway(),
    startFleet({ devices: 1, profile: 'rutos', timeScale: 200 }),
  ]);
  const { baseUrl, username, password } = fleet.devices[0]!;
  const body = { name: 'pump-1', baseUrl, tags: ['pump'], credentials: { username, password } };
  await world.api.client.post('/v1/devices', { body });
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

/** Runs a program as if the package was installed. @returns what it printed, a line for each call */
async function run(program: string): Promise<string[]> {
  const body = program.replaceAll(/^import .*;$/gm, '');
  const { target, module } = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const script = ts.transpile(body, { target, module });
  const printed: string[] = [];
  const console = { log: (...values: unknown[]) => printed.push(values.map((value) => format(value)).join(' ')) };
  const process = { env: { FLEETGATE_URL: world.url, FLEETGATE_API_KEY: world.keys.administrator } };
  const AsyncFunction = (async () => undefined).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const names = { ...client, console, process };
  await new AsyncFunction(...Object.keys(names), script)(...Object.values(names));
  return printed;
}

const format = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

it('the examples of the page do what it says', async () => {
  const printed = await run(programOf('docs/reference/client.md', 'ts'));

  expect(printed[0]).toMatch(/^pump-1 /);
  expect(printed[1]).toMatch(/^404 device_not_found .+ .+ [\w-]{8,}$/);
  expect(printed).toContain('succeeded'); // the job
  expect(printed.find((line) => line.startsWith('200 '))).toContain('"success":true');
  expect(printed).toEqual(expect.arrayContaining(['pump-1 succeeded', '1 1']));
  expect(printed.find((line) => /^true \d+$/.test(line))).toBeDefined(); // the audit
  const { tags } = await world.api.client.get('/v1/devices/{ref}', { params: { path: { ref: 'name:pump-1' } } });
  expect(tags.toSorted()).toEqual(['checked', 'pump']);
  await world.api.client.get('/v1/devices/{ref}', { params: { path: { ref: 'name:pump-2' } } });
});

it('a fan-out and a stream of events end when their reader stops', async () => {
  const { client: api } = world.api;
  const params = { path: { ref: 'name:pump-1' } };
  const events = api.events({ types: ['job.*'] });
  const first = events.next();
  // The stream begins at its opening, so the job is started again until an event of it comes.
  const seen = { hasEvent: false };
  void first.then(() => (seen.hasEvent = true));
  await until(async () => {
    const { id } = await api.post('/v1/devices/{ref}/jobs', { params, body: { kind: 'backup' } });
    await api.jobs.wait(id);
    return seen.hasEvent;
  });
  expect((await first).value).toMatchObject({
    id: expect.stringMatching(/^\d+\.\d+$/),
    type: expect.stringMatching(/^job\./),
  });
  await events.return(undefined);
  const request = { method: 'GET', path: '/api/system/device/status' } as const;
  for await (const line of api.fanOut({ selector: 'tag:pump', request })) {
    expect(line.type).toBe('result');
    break;
  }
});
