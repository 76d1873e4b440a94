/* The simulator as a person starts it: what it says, and that a wrong command ends in a sentence and not in a stack. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { casesOf } from '../support/forms.js';
import { PROJECT } from '../support/source/project.js';

const MAIN = fileURLToPath(new URL('dist/src/simulator/main.js', PROJECT));

const directory = mkdtempSync(path.join(tmpdir(), 'simulator-command-'));
const children = new Set<ChildProcess>();
const holders: Server[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const holder of holders) holder.close();
  rmSync(directory, { recursive: true });
});

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the simulator and ends it once it is ready and `meanwhile` is done. */
function run(flags: readonly string[], meanwhile?: (out: string) => Promise<void>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'pipe'], cwd: directory });
    children.add(child);
    let [out, err, isReady] = ['', '', false];
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
      if (isReady || !out.includes('Ctrl-C ends it.')) return;
      isReady = true;
      const done = meanwhile?.(out) ?? Promise.resolve();
      done.catch(reject).finally(() => child.kill('SIGTERM'));
    });
    child.on('error', reject);
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code, out, err });
    });
  });
}

/** Takes a port for the time of the tests; null when somebody else has it. */
function hold(port: number, host = '127.0.0.1'): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      holders.push(server);
      resolve(server);
    });
  });
}

/** A port that is taken and the free one below it, between those of fleets and those that systems hand out. */
async function takenPort(): Promise<number> {
  for (let port = 31_100 + (process.pid % 1_000); ; port += 2) {
    const below = await hold(port - 1);
    if (!below) continue;
    await new Promise((resolve) => below.close(resolve));
    if (await hold(port)) return port;
  }
}

function fileOf(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

const column = (csv: string, index: number): string[] =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[index]!);

describe('a command that cannot be carried out', () => {
  const group = { devices: 1, famly: 'RUTX50' };
  const mistakes = [
    { what: 'a fleet file that is not there', flags: ['--fleet', 'nofile.json'], says: /fleet file .*nofile\.json/ },
    {
      what: 'a fleet file that is not JSON',
      flags: ['--fleet', fileOf('cut.json', '{"groups":')],
      says: /cut\.json is not JSON/,
    },
    {
      what: 'a fleet file with a wrong key',
      flags: ['--fleet', fileOf('wrong.json', JSON.stringify({ groups: [group] }))],
      says: /wrong\.json is not right:\n.*"famly"\n.*groups\[0\]/,
    },
    {
      what: 'an unknown fault',
      flags: ['--fault', '{"kind":"nope"}'],
      says: /--fault [^]*"lost-answer"[^]*at kind/,
    },
    { what: 'a fleet of none', flags: ['--devices', '0'], says: /options are not right:\n.*\n.*at devices/ },
    { what: 'a control port that is none', flags: ['--control-port', '99999'], says: /--control-port .*65535/ },
    { what: 'a list in no folder', flags: ['--csv', 'none/x.csv'], says: /--csv cannot be written: .*none\/x\.csv/ },
    { what: 'a ledger in no folder', flags: ['--ledger', 'none/x'], says: /--ledger cannot be written: .*none\/x/ },
  ];
  it.each(casesOf(mistakes, 3, 3))('says why in a sentence: $what', async ({ flags, says }) => {
    const { code, out, err } = await run(flags);
    expect(err).toMatch(/^simulator: /);
    expect(err).toMatch(says);
    expect(err).not.toMatch(/^\s+at .*:\d+/m);
    expect([code, out]).toEqual([1, '']);
  });

  it('names the control port that is taken, and the flag that chooses another', async () => {
    const port = await takenPort();
    const { code, err } = await run(['--devices', '1', '--control-port', String(port)]);
    expect([code, err]).toEqual([1, `simulator: Port ${port} of 127.0.0.1 is taken; --control-port chooses another\n`]);
  });

  it('names the port of an address that is taken, and the flag that chooses another', async () => {
    const port = await takenPort();
    expect(await hold(port, '127.16.0.1')).not.toBeNull();
    const { code, err } = await run(['--devices', '1', '--addressing', 'address', '--port', String(port)]);
    expect([code, err]).toEqual([1, `simulator: Port ${port} of 127.16.0.1 is taken; --port chooses another\n`]);
  });

  const flagsOfOneGroup = [
    ['--devices', '1'],
    ['--profile', 'rutos'],
    ['--latency', '5'],
    ['--password', 'Router-1!'],
    ['--fault', '{"kind":"html"}'],
    ['--keep-alive'],
  ];
  it.each(casesOf(flagsOfOneGroup, 2, 2))('refuses %s beside a fleet file instead of dropping it', async (...flag) => {
    const file = fileOf('fleet.json', JSON.stringify({ groups: [{ devices: 2 }] }));
    const { code, err } = await run(['--fleet', file, ...flag]);
    expect(err).toMatch(new RegExp(`^simulator: option '--fleet <file>' cannot be used with option '.*${flag[0]}`));
    expect(code).toBe(1);
  });
});

describe('a fleet from the command line', () => {
  it('says which port was taken, the lowest and the highest it has, and where the whole list is', async () => {
    const taken = await takenPort();
    const { code, out, err } = await run(['--devices', '3', '--port', String(taken - 1)], async (text) => {
      const list = /(\S+devices\.csv) \(passwords and pins of all\)/.exec(text)?.[1];
      const csv = await (await fetch(list!)).text();
      const ports = column(csv, 1).map((url) => Number(new URL(url).port));
      expect(ports).toEqual(ports.toSorted((one, other) => one - other));
      expect(text).toContain(`127.0.0.1:${ports[0]} … https://127.0.0.1:${ports[2]} (not consecutive`);
    });
    expect(out).toContain(`${taken} was taken`);
    expect([code, err]).toEqual([0, '']);
  });

  it('takes from a fleet file what the whole fleet has, unless a flag says otherwise', async () => {
    const file = fileOf('two.json', JSON.stringify({ firstNumber: 5, seed: 3, groups: [{ devices: 2 }] }));
    const csv = path.join(directory, 'two.csv');
    const { code, out, err } = await run(['--fleet', file, '--first-number', '9', '--csv', csv]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^2 devices are ready/);
    expect(out).not.toContain('was taken');
    expect(column(readFileSync(csv, 'utf8'), 0).map((name) => name.slice(-5))).toEqual(['00009', '00010']);
  });
});
