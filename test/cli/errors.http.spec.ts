import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { commandLine } from '../support/cli/command-line.js';
import { addPerson, type Person } from '../support/people.js';

/* What the command line says when the gateway refuses: what happened with its facts, and the command that helps. */

let world: CliWorld;
let second: Person;
let keys: Readonly<Record<'administrator' | 'viewer' | 'colleague for one site', string>>;

beforeAll(async () => {
  world = await openCliWorld(3, { ROLE: 'api', APPROVAL_DEVICES: '2' });
  second = await addPerson(world.gateway, 'Second', [{ role: 'administrator' }]);
  const roles = [{ role: 'viewer' }, { role: 'operator', selector: 'site:kaunas' }];
  keys = { ...world.gateway.keys, 'colleague for one site': (await addPerson(world.gateway, 'One', roles)).key };
});
afterAll(() => world.close());

const PUT_ALL = ['fan-out', 'put', '/system/device/config', '-l', 'tag:pump', '-f', '-', '--yes'];

it.each<readonly [as: keyof typeof keys, line: string, says: readonly string[]]>([
  ['administrator', 'device list -l tagg:pump', ['At "tagg": no such field. Did you mean "tag"?']],
  ['administrator', 'device list -l state:onlin', ['At "onlin": no such state. Did you mean "online"?']],
  ['administrator', 'device summary -l trust:blind', ['no such trust. There are pin, ca, insecure.']],
  ['administrator', 'selector save x -l profile:rutoss', ['Did you mean "rutos"?']],
  [
    'administrator',
    'audit list --action job.strat',
    ['  action: no such action: there are job.cancel, job.end, job.start,'],
  ],
  [
    'administrator',
    'audit list --action jobs.*',
    ['  action: no such action: before its dot is one of alert, alert_rule,'],
  ],
  ['administrator', 'device list --fields nmae', ['No row has the field nmae. Did you mean name? The fields are id,']],
  ['administrator', 'device list --sort nmae', ['Allowed choices are createdAt, -createdAt, name']],
  ['administrator', 'device list -l tag:(', ['At "(": expected a value']],
  ['viewer', 'job start pump-1 backup', ['You need job.start (forbidden)', '--action job.start']],
  ['colleague for one site', 'job start pump-1 backup', ['You need job.start on pump-1', '--device pump-1']],
  ['viewer', 'lock set writes --reason storm --yes', ['You need lock.manage (forbidden)', '--action lock.manage']],
  ['administrator', 'job show 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4', ['See: fleetgate job list']],
  ['administrator', 'device show pmup-1', ['There is no such device', 'Did you mean pump-1?']],
  ['administrator', 'call get pump1 /system/device/status', ['Did you mean pump-1?']],
  ['administrator', 'job start pump-33 backup', ['Did you mean pump-3?']],
  ['administrator', 'job list --device pum-2', ['Did you mean pump-2?']],
  ['administrator', 'device show gate-7', ['You may not see it, or it was removed.']],
  ['administrator', 'device add pump-9 --base-url https://192.0.2.9/x', ['cannot have this base URL: ']],
  ['administrator', 'device add pump-1 --base-url https://192.0.2.9', ['Another device already has this name']],
  ['administrator', 'device edit pump-1 --tags a--b,\u0007', ['  tags.']],
  ['administrator', 'role remove viewer --confirm viewer', ['Built-in roles cannot be changed']],
  [
    'administrator',
    'lock lift 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
    ['Error: Nothing was done. This lifts a lock. Give --yes'],
  ],
  ['administrator', 'device availability pump-1', ['too many arguments', 'See: fleetgate device availability --help']],
  ['administrator', 'events --after 0', ['  last-event-id: must be the id of an event', '0.0 begins at the oldest']],
  ['administrator', 'artifact show nothing', ['  artifactId: an id is such as', 'fleetgate artifact list shows them']],
  ['administrator', 'job show nothing', ['  jobId: an id is such as', 'fleetgate job list shows them']],
  ['administrator', 'job watch nothing', ['  jobId: an id is such as', 'fleetgate job list shows them']],
  ['administrator', 'lock lift nothing --yes', ['fleetgate lock list shows them']],
  ['administrator', 'backup restore pump-1 nothing --confirm pump-1', ['fleetgate artifact list shows them']],
])('says to a %s after %s: %j', async (as, line, says) => {
  const { code, err, out } = await commandLine(world.environment(keys[as]), line.split(' '));
  for (const text of says) expect(err).toContain(text);
  expect(err).not.toMatch(/`|\/v1\/|\b(body|query|path)\/|position|POST|GET/);
  expect(code).not.toBe(0);
  expect(out).toBe('');
});

it('says who locked what until when, and how it is lifted', async () => {
  const set = await world.run([
    'lock',
    'set',
    'device',
    'name:pump-2',
    '--reason',
    'maintenance',
    '--yes',
    '-o',
    'json',
  ]);
  const { id } = JSON.parse(set.out) as { id: string };
  const { err } = await world.run(['call', 'get', 'pump-2', '/system/device/status']);
  expect(err).toMatch(/^Error: Locked by .+: maintenance \(locked\)\nIt has no end\.\n/);
  const command = `Lift it: fleetgate lock lift ${id}`;
  expect(err).toContain(command);
  const lift = command.split(' ').slice(3);
  expect(await world.run(lift)).toMatchObject({ code: 2, err: expect.stringContaining('Give --yes') });
  expect((await world.run([...lift, '--yes'])).code).toBe(0);
});

it('sends a change again with the approval of a second person', async () => {
  const input = '{"data":{"timezone":"UTC"}}';
  const first = await world.run(PUT_ALL, { input });
  expect(first.err).toContain('A request for 3 devices needs the approval of a second person');
  const again = /repeat the command with (--approval \S+)/.exec(first.err)?.[1]?.split(' ') ?? [];
  const approved = await commandLine(world.environment(second.key), ['approval', 'approve', again[1]!, '--yes']);
  expect(approved.err).toBe('');
  const done = await world.run([...PUT_ALL, ...again], { input });
  expect(done.err).toMatch(/\n3 devices: /);
});

it('takes a time as its distance, or as a day of the local clock', async () => {
  const list = (...more: string[]) => world.run(['audit', 'list', '--limit', '1', '-o', 'ndjson', ...more]);
  expect((await list('--since', '7d')).out).toContain('openedAt');
  expect((await list('--since', '2020-01-01', '--until', '1w')).out).toBe('');
  const ahead = ['certificate list --expires-before 30d', 'mute add -l tag:none --until 8h --reason works'];
  for (const line of [...ahead, 'monitoring history pump-1 --metric rsrp --from 7d'])
    expect([line, (await world.run(line.split(' '))).code]).toEqual([line, 0]);
  const wrong = await list('--since', 'yesterday');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--since is a distance such as 90m, 24h or 7d')]);
});

it('names a server whose certificate is self-signed, as a device has one', async () => {
  const { baseUrl } = world.fleet.devices[0]!;
  const refused = await commandLine({ ...world.environment('fg_x'), FLEETGATE_URL: baseUrl }, ['device', 'list']);
  expect(refused.err).toMatch(
    /^Error: The certificate of the gateway is self-signed.*\nTrust it: set NODE_EXTRA_CA_CERTS/,
  );
  expect(refused.code).toBe(1);
});

it.each([
  ['a page', 'text/html', '<!doctype html><title>Welcome</title>'],
  ['nothing', 'text/plain', ''],
  ['JSON of its own', 'application/json', '{"hello":"world"}'],
  ['a text', 'text/plain', 'OK'],
])('says of a server that answers with %s that it is no gateway', async (_what, type, body) => {
  const server = createServer((_request, answer) => void answer.setHeader('content-type', type).end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keyFile = await world.file('any.key', 'fg_any');
  const { code, err } = await world.run(['login', '--url', url, '--key-file', keyFile]);
  server.close();
  expect([code, err]).toEqual([
    1,
    'Error: The answer is not that of a Fleetgate gateway\n' +
      'Check the address: --url, FLEETGATE_URL, or fleetgate profile list\n',
  ]);
});
