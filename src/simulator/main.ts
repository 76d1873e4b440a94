/* `npm run simulator`: a fleet from the command line or a file, with its control API, until Ctrl-C; `image` writes firmware. */
import { closeSync, createWriteStream, openSync, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { PROFILES, type Profile } from '../device-api/contract.js';
import { CONTROL_HOST, startControl } from './control.js';
import { FAMILY_NAMES } from './device/families.js';
import { readRecording } from './device/recording.js';
import { faultRule, type FaultInput } from './device/faults.js';
import { SCENARIO_NAMES } from './device/live/scenarios.js';
import { defined, REAL_BACKUP_BYTES, startFleet, type Fleet, type FleetOptions } from './fleet.js';
import { readFleetFile } from './fleet-file.js';
import { writeImage } from './image-command.js';
import { StateDirectory } from './state-directory.js';

interface Flags extends Omit<
  FleetOptions,
  'devices' | 'profile' | 'latencyMs' | 'adminPassword' | 'faults' | 'groups' | 'recording'
> {
  devices: number;
  profile: Profile;
  latency?: FleetOptions['latencyMs'] | 'none';
  backupKb?: [number, number];
  password?: string;
  fault?: FaultInput[];
  fleet?: string;
  csv?: string;
  state?: string;
  recording?: string;
  ledger?: string;
  controlPort: number;
}

/** What a fleet file says for each of its groups: beside `--fleet` these flags would have no effect, so they are refused. */
const GROUP_FLAGS: (keyof Flags)[] = [
  'devices',
  'profile',
  'family',
  'firmware',
  'scenario',
  'latency',
  'backupKb',
  'keepAlive',
  'password',
  'rsaBits',
  'fault',
];

const SCENARIO_HELP =
  'what the live values do. calm: nothing breaks (the default); field: vehicles drive, some links break, some devices ' +
  'restart at night; storm: links break for long, weak signal, every device restarts';

const EXAMPLES = `
Examples:
  $ npm run simulator -- --devices 1000 --profile rutos --latency 40..200
      A thousand routers that behave as real ones and take 40 to 200 ms to answer.
  $ npm run simulator -- --devices 200 --profile rutos --scenario field
      Vehicles drive, signal and traffic change, links break for minutes; the same seed and hour give the same values.
  $ npm run simulator -- --devices 25 --profile rutos --time-scale 60 --csv fleet.csv
      A minute of flashing or rebooting is a second; fleet.csv is what the gateway imports.
  $ npm run simulator -- --devices 10 --fault '{"kind":"lost-answer","path":"/api/backup/actions/generate","count":1}'
      The first backup of each device is made, but its answer is lost.
  $ npm run simulator -- --fleet fleet.json --state ./state
      A mixed fleet from a file, whose certificates and settings survive a restart.
  $ npm run simulator -- image --family RUTX50 --version 07.25.3
      Writes a firmware image that these routers take; image --help has its flags.`;

function number(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

function portOrZero(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return value;
}

function range(text: string, unit: number, expected: string): [number, number] {
  const [, least, most] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  if (least === undefined) throw new InvalidArgumentError(`It must be ${expected}.`);
  return [Number(least) * unit, Number(most ?? least) * unit];
}

const latency = (text: string): NonNullable<Flags['latency']> =>
  text === 'class' || text === 'none' ? text : range(text, 1, 'milliseconds such as 40..200, or class, or none');

const kilobytes = (text: string) => range(text, 1000, 'kilobytes such as 60..2000');

function fault(text: string, before: FaultInput[] = []): FaultInput[] {
  let rule: unknown;
  try {
    rule = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be a rule in JSON.');
  }
  const parsed = faultRule.safeParse(rule);
  if (!parsed.success) throw new InvalidArgumentError(`The rule is not right:\n${z.prettifyError(parsed.error)}`);
  return [...before, parsed.data];
}

function readFlags(): Flags {
  const command = new Command('simulator')
    .description(
      'Simulates routers that speak the Device Configuration Web API, each with its own address, certificate and state.',
    )
    .option('-n, --devices <count>', 'how many devices', number, 10)
    .addOption(
      new Option('--profile <profile>', 'spec: the literal specification; rutos: as real devices do')
        .choices(PROFILES)
        .default('spec'),
    )
    .addOption(
      new Option(
        '--family <family>',
        'one device family for all; absent: the five that were recorded whole, in turn',
      ).choices(FAMILY_NAMES),
    )
    .option('--firmware <version>', 'running firmware, such as 07.24.2')
    .addOption(new Option('--scenario <scenario>', SCENARIO_HELP).choices(SCENARIO_NAMES))
    .option('--latency <ms>', 'time of an answer: 40..200, class (by device family) or none', latency)
    .option('--backup-kb <kB>', 'size of a backup, drawn for each device (default: 60..2000)', kilobytes)
    .option('--time-scale <factor>', 'device time passes so many times faster', number)
    .option('--seed <number>', 'the same seed gives the same run', number)
    .option('--first-number <number>', 'of the first device, where several fleets run side by side', number)
    .addOption(
      new Option('--addressing <how>', 'port: one port each; address: 127.x.y.z each').choices(['port', 'address']),
    )
    .option('--port <port>', 'the first port, or the one port of all addresses', number)
    .option('--keep-alive', 'keep connections open where the profile would close them')
    .option('--password <password>', 'of admin on every device; absent: one of its own each')
    .option('--rsa-bits <bits>', 'size of generated keys whatever is asked for', number)
    .option('--fault <json>', 'a fault rule for every device; may be repeated', fault)
    .addOption(
      new Option(
        '--fleet <file>',
        'a fleet file instead of the options that describe devices; with it still count --recording, --csv, --state, --ledger, ' +
          '--control-port and, before what the file says, --time-scale, --seed, --first-number, --addressing, --port',
      ).conflicts(GROUP_FLAGS),
    )
    .option('--recording <file>', 'answers as a recorded router did: what `fleetgate doctor --record` wrote')
    .option('--csv <file>', 'writes the list that the gateway imports')
    .option('--state <directory>', 'keeps certificates and settings between runs')
    .option('--ledger <file>', 'appends every line of the ledger as NDJSON')
    .option('--control-port <port>', 'of the control API on 127.0.0.1; 0: any free one', portOrZero, 0)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'simulator:')) })
    .addHelpText('after', EXAMPLES)
    .parse();
  return command.opts<Flags>();
}

function optionsFrom(flags: Flags): FleetOptions {
  const { timeScale, seed, firstNumber, addressing, port } = flags;
  const given = defined({ timeScale, seed, firstNumber, addressing, port });
  if (flags.fleet !== undefined) return { timeScale: 1, ...readFleetFile(flags.fleet), ...given };
  // Real devices take their time; the literal specification says nothing of it.
  const { devices, profile, family, firmware, scenario, keepAlive, rsaBits } = flags;
  const { password: adminPassword, fault: faults, backupKb: backupBytes = REAL_BACKUP_BYTES } = flags;
  const usual = flags.latency ?? (profile === 'rutos' ? 'class' : 'none');
  const latencyMs = usual === 'none' ? undefined : usual;
  const same = defined({ family, firmware, scenario, keepAlive, rsaBits });
  return {
    devices,
    profile,
    timeScale: 1,
    ...given,
    ...same,
    ...defined({ adminPassword, faults, backupBytes, latencyMs }),
  };
}

/** Opens a file at its end, before the fleet starts: a wrong path is not told after a minute of starting. */
function openFor(flag: string, file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw new Error(`${flag} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

/** Where the devices listen. Ports rise with the devices, so the first one has the lowest. */
function addressLines({ devices }: Fleet, askedPort: number | undefined): string[] {
  const [first, last] = [devices[0]!, devices.at(-1)!];
  const line = `  devices   ${first.baseUrl} … ${last.baseUrl}`;
  if (first.host !== last.host) return [line];
  const moved = askedPort === undefined ? -1 : devices.findIndex(({ port }, index) => port !== askedPort + index);
  const isConsecutive = last.port - first.port === devices.length - 1;
  return [
    ...(moved < 0 ? [] : [`  ports     ${askedPort! + moved} was taken, so the next free ones are used`]),
    isConsecutive ? line : `${line} (not consecutive: the list is in devices.csv)`,
  ];
}

async function main(): Promise<void> {
  // The devices go on when the reader of the output leaves.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const flags = readFlags();
  const options = optionsFrom(flags);
  const begun = performance.now();
  const onError = (error: unknown): void =>
    void process.stderr.write(`simulator: ${(error as Error).stack ?? String(error)}\n`);
  if (flags.csv !== undefined) closeSync(openFor('--csv', flags.csv));
  const ledgerFile =
    flags.ledger === undefined ? null : createWriteStream(flags.ledger, { fd: openFor('--ledger', flags.ledger) });
  const state = flags.state === undefined ? null : new StateDirectory(flags.state, onError);
  const fleet = await startFleet({
    ...options,
    onError,
    ...(ledgerFile ? { onLine: (entry) => void ledgerFile.write(`${JSON.stringify(entry)}\n`) } : {}),
    ...(flags.recording === undefined ? {} : { recording: readRecording(flags.recording) }),
    ...(state ? { prepare: (device) => state.restore(device) } : {}),
  });
  const control = await startControl(fleet, flags.controlPort);
  state?.watch(fleet.devices);
  if (flags.csv !== undefined) writeFileSync(flags.csv, fleet.csv(), { mode: 0o600 });
  // Before it reports that it is ready: a caller that waits for that may end it at once, and the state must be stored.
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await state?.stop(fleet.devices);
    await Promise.all([control.close(), fleet.close()]);
    ledgerFile?.end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end());
  const [first] = fleet.devices;
  process.stdout.write(
    [
      `${fleet.devices.length} devices are ready after ${((performance.now() - begun) / 1000).toFixed(1)} s, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`,
      ...addressLines(fleet, options.port),
      `  login     ${first!.username} / ${first!.password} (the first one)`,
      `  control   ${control.url}/devices`,
      `  logins    ${control.url}/devices.csv (passwords and pins of all)`,
      ...(flags.csv === undefined ? [] : [`  csv       ${flags.csv}`]),
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  );
}

/** Why the simulator did not start, for the person who typed the command. */
function reason(error: unknown): string {
  if (error instanceof z.ZodError) return `The options are not right:\n${z.prettifyError(error)}`;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code !== 'EADDRINUSE') return error.message;
  // Devices that share an address go on to the next port; those that meet this have one of their own.
  const flag = address === CONTROL_HOST ? '--control-port' : '--port';
  return `Port ${port} of ${address} is taken; ${flag} chooses another`;
}

/** Its first argument, if it is a word, is another program. */
async function start(): Promise<void> {
  const [word, ...rest] = process.argv.slice(2);
  if (word === 'image') return writeImage(rest);
  await main();
}

await start().catch((error: unknown) => {
  process.stderr.write(`simulator: ${reason(error)}\n`);
  process.exit(1); // devices that listen already would keep the process
});
