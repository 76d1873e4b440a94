import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENVIRONMENT_NAMES } from '../support/source/setting-names.js';

/* The units of deploy/systemd: systemd itself accepts them, and what they name is there. */

const FOLDER = 'deploy/systemd';
const SERVICES = ['fleetgate.service', 'fleetgate-backup.service'];
const isHere = spawnSync('systemd-analyze', ['--version']).status === 0;
const reason = isHere ? '' : ', skipped: systemd-analyze is not installed (apt-get install systemd)';

/** The values of one name in a unit, in their order. */
function valuesOf(unit: string, name: string): string[] {
  const lines = readFileSync(path.join(FOLDER, unit), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
}

describe.skipIf(!isHere)(`systemd reads the units${reason}`, () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-units-'));
    await cp(FOLDER, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What it finds in all units of the folder; an empty text: nothing. */
  function faults(): string {
    const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name));
    const { stderr, status } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((unit) => path.join(folder, unit))],
      { encoding: 'utf8' },
    );
    return status === 0 ? ofOurs(stderr) : stderr || `exit code ${status}`;
  }

  /** Units of the machine that they refer to may have faults of their own. */
  const ofOurs = (said: string) =>
    said
      .split('\n')
      .filter((line) => line.includes('fleetgate'))
      .join('\n');

  async function addPassword(): Promise<void> {
    for (const service of SERVICES) {
      await mkdir(path.join(folder, `${service}.d`));
      const to = path.join(folder, `${service}.d`, 'database-password.conf');
      await cp(path.join(FOLDER, 'database-password.conf'), to);
    }
  }

  it('as they are', () => expect(faults()).toBe(''));

  it('with the password of a database', async () => {
    await addPassword();
    expect(faults()).toBe('');
  });

  it.each([
    ['TimeoutStopSec=40', 'TimeoutStopSec=soon'],
    ['KillMode=mixed', 'KillMode=gentle'],
    ['ProtectSystem=strict', 'ProtectSystems=strict'],
    ['ExecStart=/bin/sh', 'ExecStart=/no/such/sh'],
    ['LoadCredential=root-key:', 'LoadCredential=root/key:'],
  ])('and this test would see a fault: %s as %s', async (right, wrong) => {
    const file = path.join(folder, 'fleetgate.service');
    const text = await readFile(file, 'utf8');
    expect(text).toContain(right);
    await writeFile(file, text.replace(right, wrong));
    expect(faults()).not.toBe('');
  });

  it.each(SERVICES)('and calls %s well protected', (service) => {
    const file = path.join(folder, service);
    const args = ['security', '--offline=yes', '--no-pager', '--threshold=30', file];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status).toBe(0);
  });
});

describe.each([...SERVICES, 'database-password.conf'])('%s', (unit) => {
  it('sets what the gateway reads', () => {
    const names = valuesOf(unit, 'Environment').map((value) => value.split('=')[0]!);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => name !== 'NODE_ENV' && !ENVIRONMENT_NAMES.has(name))).toEqual([]);
  });

  it('names credentials that it loads', () => {
    const loaded = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0]!);
    const used = valuesOf(unit, 'Environment').flatMap((value) => /=%d\/(.+)$/.exec(value)?.[1] ?? []);
    expect(loaded).not.toEqual([]);
    expect(used).toEqual(loaded);
  });
});

it.each(SERVICES)('%s starts files that are there', (unit) => {
  const [command] = valuesOf(unit, 'ExecStart');
  const files = command!.match(/(?:deploy|dist)\/[\w./-]+/g)!;
  expect(files).toHaveLength(2);
  const sources = files.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts'));
  expect(sources.filter((file) => !existsSync(file))).toEqual([]);
});

it('gives the gateway more time to stop than it takes, and lets it stop its own database', () => {
  const [, limitMs] = /STOP_WITHIN_MS = ([\d_]+)/.exec(readFileSync('src/main.ts', 'utf8'))!;
  const [seconds] = valuesOf('fleetgate.service', 'TimeoutStopSec');
  expect(Number(seconds) * 1000).toBeGreaterThan(Number(limitMs!.replaceAll('_', '')));
  expect(valuesOf('fleetgate.service', 'KillMode')).toEqual(['mixed']);
  expect(valuesOf('fleetgate.service', 'MemoryDenyWriteExecute')).toEqual([]);
});
