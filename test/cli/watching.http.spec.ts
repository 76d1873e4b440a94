import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/api-client/api-client.js';
import { isBreak } from '../../src/cli/watching.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { type CommandResult } from '../support/cli/command-line.js';
import { until } from '../support/until.js';

/* Long commands while the gateway restarts: between them and it stands a server that can be made to fail. */

let world: CliWorld;
let front: Server;
let url: string;
let forwarded: string[] = [];
/** How requests end; `gone` closes the port, too. */
let failure: 'none' | 'reset' | 502 | 503 = 'none';
let failed = 0;
const sockets = new Set<Socket>();

function forward(message: IncomingMessage, answer: ServerResponse): void {
  if (failure !== 'none') failed++;
  if (failure === 'reset') return void message.socket.destroy();
  if (typeof failure === 'number') {
    answer.writeHead(failure, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
    return;
  }
  forwarded.push(message.url!);
  const { method, headers } = message;
  const onward = request(
    new URL(message.url!, world.gateway.url),
    { method: method!, headers, agent: false },
    (come) => {
      answer.writeHead(come.statusCode!, come.headers);
      come.pipe(answer);
    },
  );
  onward.on('error', () => answer.destroy());
  answer.on('close', () => onward.destroy());
  message.pipe(onward);
}

/** What is open breaks, and what comes fails, until it is mended. */
function fail(how: 'reset' | 502 | 503): void {
  failure = how;
  failed = 0;
  for (const socket of sockets) socket.destroy();
}

beforeAll(async () => {
  world = await openCliWorld();
  front = createServer(forward).on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  front.close();
  await world.close();
});
beforeEach(() => {
  failure = 'none';
  forwarded = [];
});

/** Ends the rollouts of earlier tests: another one would leave out the devices that they have. */
async function endRollouts(): Promise<void> {
  const listed = async () => {
    const { out } = await world.run(['rollout', 'list', '-o', 'json']);
    const rows = JSON.parse(out) as { id: string; state: string }[];
    return rows.filter(({ state }) => state !== 'finished' && state !== 'aborted');
  };
  for (const { id } of await listed()) await world.run(['rollout', 'abort', id, '--yes']);
  await until(async () => (await listed()).length === 0);
}

/** A rollout whose second wave waits for a person. */
async function startRollout(): Promise<string> {
  await endRollouts();
  const policy = 'policy:\n  waves:\n    - {name: lab, take: {count: 1}}\n    - {take: rest, gate: manual}\n';
  const spec = 'spec: {method: GET, path: /api/system/device/status}\n';
  const file = await world.file('rollout.yaml', `name: Checks\nkind: call\nselector: tag:pump\n${spec}${policy}`);
  const applied = await world.run(['rollout', 'apply', '-f', file, '--yes', '-o', 'json', '--fields', 'id']);
  return (JSON.parse(applied.out) as { id: string }).id;
}

async function waveOf(id: string, ordinal: number): Promise<string> {
  const { out } = await world.run(['rollout', 'show', id, '-o', 'json']);
  return (JSON.parse(out) as { waves: { state: string }[] }).waves[ordinal]!.state;
}

interface WaitingJob {
  readonly waitReason: string | null;
}

const isAsked = (part: string) => () => forwarded.some((asked) => asked.includes(part));

const through = (args: string[]): Promise<CommandResult> => world.run([...args, '--url', url]);

describe.each(['reset', 502, 503] as const)('a gateway that is away for a while (%s)', (how) => {
  it('does not end `rollout watch`', async () => {
    const id = await startRollout();
    const watching = through(['rollout', 'watch', id]);
    await until(isAsked('/live'));
    fail(how);
    await until(() => failed > 0);
    failure = 'none';
    expect((await world.run(['rollout', 'promote', id, '2'])).code).toBe(0);
    const { code, out } = await watching;
    expect(code).toBe(0);
    expect(out).toMatch(/counts\.succeeded +3/);
    expect(out).toMatch(/^ +wave 2 +rest /m);
  });

  it('does not end `job watch`', async () => {
    const started = await world.run(['job', 'start', 'pump-1', 'backup', '-o', 'json']);
    const { id } = JSON.parse(started.out) as { id: string };
    fail(how);
    const watching = through(['job', 'watch', id]);
    await until(() => failed > 0);
    failure = 'none';
    expect((await watching).code).toBe(0);
  });

  it('does not end `device list --watch`', async () => {
    const interrupt = new AbortController();
    let shown = '';
    const watching = world.run(['device', 'list', '--watch', '0.05', '-o', 'ndjson', '--url', url], {
      interrupted: interrupt.signal,
      onOut: (text) => (shown += text),
    });
    await until(() => shown.includes('pump-3'));
    fail(how);
    await until(() => failed > 1);
    failure = 'none';
    forwarded = [];
    await until(isAsked('/v1/devices'));
    interrupt.abort();
    const { code, err } = await watching;
    // The client itself repeats a read whose connection broke.
    expect([code, err]).toEqual([130, how === 'reset' ? '' : expect.stringContaining('trying again')]);
  });
});

describe('a break', () => {
  it('is no failure of the work: a watch ends with 8 at its time limit', async () => {
    const id = await startRollout();
    fail('reset');
    const { code, err } = await through(['rollout', 'watch', id, '--timeout', '1']);
    expect([code, err]).toEqual([8, expect.stringContaining(`fleetgate rollout watch ${id}`)]);
  });

  it('is not seen in an answer that stays', async () => {
    const nobody = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';
    expect((await through(['rollout', 'watch', nobody])).code).toBe(5);
    expect((await through(['job', 'watch', nobody])).code).toBe(5);
  });

  const withCode = (code: string) => new ConnectionError('network', code, Object.assign(new Error(code), { code }));

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_SOCKET'])('is %s', (code) => {
    expect(isBreak(withCode(code))).toBe(true);
  });

  it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'is not %s, which waiting does not mend',
    (code) => {
      expect(isBreak(withCode(code))).toBe(false);
    },
  );
});

describe('a rollout that waits for a person', () => {
  it('says which wave the person has to start', async () => {
    const id = await startRollout();
    await until(async () => (await waveOf(id, 0)) === 'passed');
    const { code, err } = await through(['rollout', 'watch', id, '--timeout', '2']);
    const said = `running, wave 2 of 2 (wave 2) waits for a person. Start it with: fleetgate rollout promote ${id} 2`;
    expect([code, err]).toEqual([8, expect.stringContaining(said)]);
  });

  it('ends its watch with 10, and says for what', async () => {
    const id = await startRollout();
    expect((await world.run(['rollout', 'pause', id])).code).toBe(0);
    const paused = await through(['rollout', 'watch', id]);
    expect([paused.code, paused.err]).toEqual([10, expect.stringContaining(`fleetgate rollout resume ${id}`)]);
    expect((await world.run(['rollout', 'abort', id, '--yes'])).code).toBe(0);
    expect((await through(['rollout', 'watch', id])).code).toBe(3);
  });
});

describe('a rollout that is resumed', () => {
  it('says which wave is accepted, and what starts now', async () => {
    await endRollouts();
    const policy = { waves: [{ name: 'lab', take: { count: 1 } }, { take: 'rest' }], stop: 'never', retries: 0 };
    const spec = { method: 'GET', path: '/api/no/such/path' };
    const file = await world.file(
      'bad.json',
      JSON.stringify({ name: 'bad', kind: 'call', selector: 'tag:pump', spec, policy }),
    );
    expect((await world.run(['rollout', 'apply', '-f', file, '--yes', '--watch'])).code).toBe(10);
    const first = await world.run(['rollout', 'resume', 'bad']);
    expect([first.code, first.err]).toEqual([
      0,
      'bad goes on. Accepted as it ended: wave 1 (lab). Now starts wave 2 (wave 2).\n',
    ]);
    expect((await world.run(['rollout', 'watch', 'bad'])).code).toBe(10);
    const second = await world.run(['rollout', 'resume', 'bad']);
    expect(second.err).toBe(
      'bad goes on. Accepted as it ended: wave 1 (lab), wave 2 (wave 2). No wave is left to start.\n',
    );
  });

  it('says nothing of a wave where none was accepted', async () => {
    const id = await startRollout();
    expect((await world.run(['rollout', 'pause', id])).code).toBe(0);
    const { err } = await world.run(['rollout', 'resume', id]);
    expect(err).toMatch(
      /^Checks goes on\. (Now (starts|continues) wave 1 \(lab\)\.|Next is wave 2 \(wave 2\); start it with: )/,
    );
  });
});

// The last one, since the device stays away.
describe('a job whose device does not answer', () => {
  it('says for what it waits', async () => {
    await world.fleet.devices[1]!.stop();
    const started = await world.run(['job', 'start', 'pump-2', 'backup', '-o', 'json']);
    const { id } = JSON.parse(started.out) as { id: string };
    const reason = async () =>
      (JSON.parse((await world.run(['job', 'show', id, '-o', 'json'])).out) as WaitingJob).waitReason;
    await until(async () => (await reason()) === 'device_offline');
    const { code, err } = await through(['job', 'watch', id, '--timeout', '1']);
    expect([code, err]).toEqual([8, expect.stringContaining('identify (waits for the device, which does not answer)')]);
    expect((await world.run(['job', 'cancel', id, '--yes'])).code).toBe(0);
  });
});
