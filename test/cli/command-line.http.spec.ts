import { chmod, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { commandLine, type CommandResult, type RunOptions } from '../support/cli/command-line.js';
import { until } from '../support/until.js';

/* The command line as an operator uses it, against a gateway with three simulated devices. */

let world: CliWorld;

const asAda = (args: string[], options: RunOptions = {}): Promise<CommandResult> => world.run(args, options);

beforeAll(async () => {
  world = await openCliWorld();
});
afterAll(() => world.close());

describe('devices', () => {
  it('are listed, shown, edited, and found by name', async () => {
    const list = await asAda(['device', 'list', '-l', 'tag:pump', '--fields', 'name,tags']);
    expect(list.out.split('\n').sort()).toEqual(['', 'NAME    TAGS', 'pump-1  pump', 'pump-2  pump', 'pump-3  pump']);
    expect((await asAda(['device', 'edit', 'pump-1', '--site', 'vilnius/a'])).code).toBe(0);
    const shown = await asAda(['device', 'show', 'pump-1', '-o', 'json']);
    expect(JSON.parse(shown.out)).toMatchObject({ name: 'pump-1', site: 'vilnius/a' });
    const rows = (await asAda(['device', 'list', '-o', 'ndjson', '--limit', '2'])).out.trim().split('\n');
    expect(rows.map((row) => Object.keys(JSON.parse(row) as object).includes('serial'))).toEqual([true, true]);
  });

  it('are called one by one, and many at once', async () => {
    const one = await asAda(['call', 'get', 'pump-1', '/system/device/status']);
    expect(JSON.parse(one.out)).toMatchObject({ success: true });
    const many = await asAda([
      'fan-out',
      'get',
      '/system/device/status',
      '-l',
      'tag:pump',
      '-o',
      'ndjson',
      '--fields',
      'outcome',
    ]);
    expect(many.out).toBe('{"outcome":"succeeded"}\n'.repeat(3));
    expect(many.err).toBe('3 devices: 3 succeeded\n');
    const none = await asAda(['fan-out', 'get', '/no/such/path', '-l', 'tag:pump']);
    expect(none.code).toBe(3);
  });

  it('are changed as they were previewed, or not at all', async () => {
    const refused = await asAda(['device', 'tag', '-l', 'tag:pump', '--add', 'north']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Give --yes')]);
    const dry = await asAda(['device', 'tag', '-l', 'tag:pump', '--add', 'north', '--dry-run']);
    expect(dry.out).toMatch(/dryRun +true/);
    const done = await asAda(['device', 'tag', '-l', 'tag:pump', '--add', 'north', '--yes', '--reason', 'site']);
    expect([done.err, done.out]).toEqual([
      expect.stringContaining('3 of 3 devices'),
      expect.stringMatching(/changed +3/),
    ]);
  });
});

describe('work', () => {
  it('is followed to its end, and goes on after an interruption', async () => {
    const done = await asAda(['job', 'start', 'pump-1', 'backup', '--watch']);
    expect([done.code, done.err]).toEqual([0, expect.stringMatching(/backup: succeeded/)]);
    const { id } = JSON.parse((await asAda(['job', 'start', 'pump-2', 'backup', '-o', 'json'])).out) as { id: string };
    const interrupt = AbortSignal.timeout(1);
    const left = await asAda(['job', 'watch', id], { interrupted: interrupt });
    expect([left.code, left.err]).toEqual([130, expect.stringContaining(`fleetgate job watch ${id}`)]);
    expect((await asAda(['job', 'watch', id, '--timeout', '0.001'])).code).toBe(8);
    expect((await asAda(['job', 'watch', id])).code).toBe(0);
    expect((await asAda(['job', 'retry', id, '--dry-run'])).err).toContain('Would start a backup on');
  });

  it('of many devices is planned, applied and watched', async () => {
    const rollout = await world.file(
      'rollout.yaml',
      'name: Checks\nkind: call\nselector: tag:pump\nspec:\n  method: GET\n  path: /api/system/device/status\n',
    );
    expect((await asAda(['rollout', 'plan', '-f', rollout])).out).toMatch(/total +3/);
    const applied = await asAda(['rollout', 'apply', '-f', rollout, '--yes', '--watch']);
    expect([applied.code, applied.err]).toEqual([0, expect.stringContaining('fleetgate rollout watch')]);
    expect(applied.out).not.toContain('draft');
    expect(applied.out).toMatch(/counts\.succeeded +3/);
  });
});

describe('a job on many devices', () => {
  it('is a rollout of one wave, after its plan and a consent', async () => {
    const call = 'job start call -l tag:pump --set method=GET --set path=/api/system/device/status'.split(' ');
    const start = (...more: string[]) => asAda([...call, ...more]);
    expect((await start('--dry-run')).out).toMatch(/total +3/);
    expect(await start()).toMatchObject({ code: 2, err: expect.stringContaining('3 devices take part') });
    const done = await start('--yes', '--watch');
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/counts\.succeeded +3/)]);
    const { out } = await asAda(['rollout', 'list', '-o', 'ndjson', '--fields', 'name,kind']);
    expect(out.split('\n').filter((line) => line.includes('call of tag:pump'))).toEqual([
      '{"name":"call of tag:pump","kind":"call"}',
    ]);
  });

  it.each([
    ['job start pump-1', 'Give the device and the kind'],
    ['job start pump-1 backup -l tag:pump', 'Give a device, or -l for many of them'],
    ['job start nosuch -l tag:pump --yes', 'kind'],
  ])('is refused where it is not clear: %s', async (line, sentence) => {
    const { code, err } = await asAda(line.split(' '));
    expect([code === 0, err]).toEqual([false, expect.stringContaining(sentence)]);
  });
});

describe('what repeats', () => {
  it.each([
    [['--cron', '30 2 * * *', '--time-zone', 'Europe/Vilnius'], { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' }],
    [['--cron', '0 1 * * *'], { cron: '0 1 * * *', timeZone: 'UTC' }],
    [['--every-seconds', '3600'], { everySeconds: 3_600 }],
  ])('has its rhythm by flags: %j', async (flags, rhythm) => {
    const added = await asAda(['backup-policy', 'add', 'by flags', '-l', 'tag:pump', ...flags, '-o', 'json']);
    expect([added.err, JSON.parse(added.out)]).toEqual(['', expect.objectContaining({ rhythm })]);
    expect((await asAda(['backup-policy', 'remove', 'by flags', '--yes'])).code).toBe(0);
  });
});

describe('firmware', () => {
  it('is told to be no image, or without its version, and a plan says who would not get it', async () => {
    const text = await world.run(['firmware', 'upload', await world.file('note.bin', 'hello\n'), '-o', 'json']);
    expect([text.code, text.err]).toEqual([0, expect.stringContaining('does not look like an image')]);
    const { id } = JSON.parse(text.out) as { id: string };
    const image = await world.file('image.bin', `${' '.repeat(257)}ustar`);
    expect((await world.run(['firmware', 'upload', image])).err).toContain('--image-version');
    const told = await world.run([
      'firmware',
      'upload',
      image,
      '--image-version',
      '7.17.3',
      '--models',
      'RUTX50,RUTX11',
    ]);
    expect([told.err.includes('--image-version'), told.out]).toEqual([false, expect.stringContaining('RUTX50')]);

    const file = await world.file(
      'firmware.yaml',
      `name: x\nkind: firmware\nselector: tag:pump\nspec: {artifactId: ${id}}\n`,
    );
    const planned = await world.run(['rollout', 'plan', '-f', file]);
    expect(planned.err).toContain('3 of 3 devices cannot start now:');
    expect(planned.err).toMatch(/3 image invalid: pump-\d/);
    expect(planned.err).toMatch(/\d backup missing: .*pump-3/);
  });
});

describe('a rollout without a stop', () => {
  const fileOf = (stop: string) =>
    world.file(
      'never.yaml',
      `name: Never\nkind: call\nselector: tag:pump\nspec:\n  method: GET\n  path: /api/system/device/status\npolicy:\n  stop: ${stop}\n`,
    );

  it('is applied when its file says `never`, and is shown so', async () => {
    const never = await fileOf('never');
    expect((await asAda(['rollout', 'plan', '-f', never])).out).toMatch(/total +3/);
    expect((await asAda(['rollout', 'apply', '-f', never, '--yes', '--watch'])).code).toBe(0);
    const { out } = await asAda(['rollout', 'list', '-o', 'json']);
    const made = (JSON.parse(out) as { name: string; id: string }[]).find(({ name }) => name === 'Never');
    const shown = await asAda(['rollout', 'show', made?.id ?? 'none', '-o', 'json']);
    expect(JSON.parse(shown.out)).toMatchObject({ policy: { stop: 'never' } });
  });

  it.each(['{}', 'sometimes', '{ percent: 0 }', '{ minimum: 5 }'])('is refused with stop: %s', async (stop) => {
    const { code, err } = await asAda(['rollout', 'plan', '-f', await fileOf(stop)]);
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('policy.stop')]);
    expect(code).not.toBe(0);
  });
});

describe('a list that is watched', () => {
  it('gives a pipe each row once, and again when it changed', async () => {
    const interrupt = new AbortController();
    const rows: string[] = [];
    const watching = asAda(['device', 'list', '--watch', '0.05', '-o', 'ndjson', '--fields', 'name,note'], {
      interrupted: interrupt.signal,
      onOut: (text) => rows.push(...text.trim().split('\n')),
    });
    await until(() => rows.length === 3);
    expect((await asAda(['device', 'edit', 'pump-2', '--note', 'watched'])).code).toBe(0);
    await until(() => rows.length > 3);
    interrupt.abort();
    expect((await watching).code).toBe(130);
    expect(rows.slice(3)).toEqual(['{"name":"pump-2","note":"watched"}']);
  });

  it('has no format that needs an end', async () => {
    const { code, err } = await asAda(['device', 'list', '--watch', '--json']);
    expect([code, err]).toEqual([2, expect.stringContaining('-o ndjson')]);
    expect((await asAda(['device', 'list', '--watch', 'often'])).code).toBe(2);
  });
});

describe('a backup', () => {
  it('is listed, shown and restored on its device, with the name of it as consent', async () => {
    expect((await asAda(['job', 'start', 'pump-3', 'backup', '--watch'])).code).toBe(0);
    const list = await asAda(['backup', 'list', '--device', 'pump-3', '--json']);
    const [{ id, kind }] = JSON.parse(list.out) as [{ id: string; kind: string }];
    expect(kind).toBe('backup');
    expect((await asAda(['backup', 'show', id])).out).toContain(id);
    const refused = await asAda(['backup', 'restore', 'pump-3', id]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--confirm=pump-3')]);
    expect((await asAda(['backup', 'restore', 'pump-3', id, '--dry-run'])).err).toContain('Would start a restore');
    const done = await asAda(['backup', 'restore', 'pump-3', id, '--confirm', 'pump-3', '--watch']);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('restore: succeeded')]);
  });
});

describe('the console', () => {
  it.each([
    [[], '/console'],
    [['rollouts'], '/console/rollouts'],
    [['devices', 'pump-1'], '/console/devices/name%3Apump-1'],
  ])('is opened at %j, by the program that BROWSER names', async (args, address) => {
    const seen = path.join(world.folder, 'opened');
    const browser = await world.file('browser', `#!/bin/sh\necho "$2" > "$1"\n`);
    await chmod(browser, 0o700);
    const environment = { ...world.environment(), BROWSER: `${browser} ${seen}` };
    const { code, out } = await commandLine(environment, ['open', ...args]);
    expect([code, out]).toEqual([0, `${world.gateway.url}${address}\n`]);
    expect(await readFile(seen, 'utf8')).toBe(out);
  });

  it('is an address to open oneself, where no browser starts or none is wanted', async () => {
    const environment = { ...world.environment(), BROWSER: '/no/such/program' };
    expect((await commandLine(environment, ['open'])).err).toContain('set BROWSER');
    expect((await commandLine(environment, ['open', '--print'])).err).toBe('');
    expect((await commandLine(environment, ['open', '--url', 'javascript:alert(1)'])).code).toBe(2);
    expect((await commandLine(environment, ['open', 'audit', 'x'])).code).toBe(2);
  });
});

describe('the exit code', () => {
  it.each([
    ['of a usage error', ['device', 'show'], 2],
    ['of an unknown command', ['device', 'shwo'], 2],
    ['of an unknown device', ['device', 'show', 'no-device'], 5],
    ['of a conflict', ['device', 'add', 'pump-1', '--base-url', 'https://192.0.2.9'], 6],
    ['of an error', ['device', 'list', '-l', 'tag:('], 1],
    ['of help', ['device', '--help'], 0],
  ])('%s', async (_what, args, code) => {
    expect((await asAda(args)).code).toBe(code);
  });

  it('of a person without a right, without a key, and without a gateway', async () => {
    const viewer = await commandLine(world.environment(world.gateway.keys.viewer), [
      'device',
      'remove',
      'pump-1',
      '--confirm',
      'pump-1',
    ]);
    expect([viewer.code, viewer.err]).toEqual([7, expect.stringContaining('Request ')]);
    expect((await commandLine(world.environment('fg_wrong'), ['device', 'list'])).code).toBe(4);
    expect((await commandLine(world.environment(), ['device', 'list'])).code).toBe(4);
    expect((await commandLine(world.environment(''), ['device', 'list'])).code).toBe(4);
    const nowhere = { ...world.environment('fg_x'), FLEETGATE_URL: 'http://127.0.0.1:9' };
    const lost = await commandLine(nowhere, ['device', 'list']);
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('fleetgate doctor')]);
  });
});

describe('secrets', () => {
  it('are stored in a file for its owner alone, and asked for without an echo', async () => {
    const signedIn = await commandLine({ XDG_CONFIG_HOME: world.folder }, ['login', '--url', world.gateway.url], {
      isTerminal: true,
      input: `${world.gateway.keys.administrator}\n`,
    });
    expect([signedIn.code, signedIn.err]).toEqual([0, expect.stringContaining(`at ${world.gateway.url}`)]);
    expect(signedIn.err + signedIn.out).not.toContain(world.gateway.keys.administrator);
    const profiles = path.join(world.folder, 'fleetgate', 'profiles.json');
    expect((await stat(profiles)).mode & 0o777).toBe(0o600);
    const listed = await commandLine({ XDG_CONFIG_HOME: world.folder }, ['device', 'list', '--fields', 'name']);
    expect(listed.out).toContain('pump-1');
    expect((await commandLine({ XDG_CONFIG_HOME: world.folder }, ['profile', 'list'])).out).not.toContain(
      world.gateway.keys.administrator,
    );

    // The key of a profile goes to its own gateway alone.
    const elsewhere = await commandLine({ XDG_CONFIG_HOME: world.folder }, [
      'device',
      'list',
      '--url',
      'http://127.0.0.1:9',
    ]);
    expect(elsewhere.code).toBe(4);
    await chmod(profiles, 0o644);
    const refused = await commandLine({ XDG_CONFIG_HOME: world.folder }, ['device', 'list']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('chmod 600')]);
    await chmod(profiles, 0o600);
    expect((await commandLine({ XDG_CONFIG_HOME: world.folder }, ['logout'])).code).toBe(0);
    expect(await readFile(profiles, 'utf8')).not.toContain(world.gateway.keys.administrator);
  });

  it('are no arguments, and are in no output', async () => {
    const argument = await asAda(['device', 'credentials', 'pump-1', '--username', 'admin', '--password', 'planted-1']);
    expect([argument.code, argument.err]).toEqual([2, expect.not.stringContaining('planted-1')]);
    const { username, password } = world.fleet.devices[0]!;
    const given = [
      'device',
      'credentials',
      'pump-1',
      '--username',
      username,
      '--password-file',
      await world.file('pw.txt', password),
    ];
    for (const args of [given, [...given, '--dry-run']]) {
      const { code, out, err } = await asAda(args);
      expect([code, out + err]).toEqual([0, expect.not.stringContaining(password)]);
    }
    const typed = await asAda(given.slice(0, -1).concat('-'), { input: `${password}\n` });
    expect(typed.code).toBe(0);
  });
});

it('says what is wrong between here and a device', async () => {
  const well = await asAda(['doctor', 'pump-1']);
  expect([well.code, well.out]).toEqual([0, expect.stringMatching(/call +ok/)]);
  const ill = await asAda(['doctor', 'no-device', '-o', 'json']);
  const findings = JSON.parse(ill.out) as { check: string; state: string; remedy: string }[];
  const wrong = findings.filter(({ state }) => state === 'wrong');
  expect([ill.code, wrong.map(({ check }) => check)]).toEqual([1, ['device']]);
  expect(wrong[0]!.remedy).not.toBe('');
  const terminal = await asAda(['doctor', 'no-device'], { isTerminal: true });
  expect(terminal.out).toContain(`wrong    device: There is no such device\n         ${wrong[0]!.remedy}\n`);
});

it('completes the names of devices, and prints a script for each shell', async () => {
  const found = await asAda(['__complete', '--', 'device', 'show', 'pump']);
  expect(found.out.trim().split('\n').sort()).toEqual(['pump-1', 'pump-2', 'pump-3']);
  for (const shell of ['bash', 'zsh', 'fish']) expect((await asAda(['completion', shell])).out).toContain('__complete');
});
