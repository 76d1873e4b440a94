/* `npm run simulator`: a fleet from the command line or a file, with its control API, until Ctrl-C. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PROFILES, type Profile } from '../device-api/contract.js';
import { startControl } from './control.js';
import { FAMILY_NAMES, type FamilyName } from './families.js';
import type { FaultInput } from './faults.js';
import { startFleet, type FleetOptions } from './fleet.js';
import { readFleetFile } from './fleet-file.js';
import { StateDirectory } from './state-directory.js';

interface Flags {
  devices: number;
  profile: Profile;
  family?: FamilyName;
  firmware?: string;
  latency?: FleetOptions['latencyMs'] | 'none';
  timeScale?: number;
  seed?: number;
  firstNumber?: number;
  addressing?: 'port' | 'address';
  port?: number;
  keepAlive?: boolean;
  password?: string;
  rsaBits?: number;
  fault?: FaultInput[];
  fleet?: string;
  csv?: string;
  state?: string;
  ledger?: string;
  controlPort: number;
}

const EXAMPLES = `
Examples:
  $ npm run simulator -- --devices 1000 --profile rutos --latency 40..200
      A thousand routers that behave as real ones and take 40 to 200 ms to answer.
  $ npm run simulator -- --devices 25 --profile rutos --time-scale 60 --csv fleet.csv
      A minute of flashing or rebooting is a second; fleet.csv is what the gateway imports.
  $ npm run simulator -- --devices 10 --fault '{"kind":"lost-answer","path":"/api/backup/actions/generate","count":1}'
      The first backup of each device is made, but its answer is lost.
  $ npm run simulator -- --fleet fleet.json --state ./state
      A mixed fleet from a file, whose certificates and settings survive a restart.`;

function number(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

function latency(text: string): NonNullable<Flags['latency']> {
  if (text === 'class' || text === 'none') return text;
  const [, least, most] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  if (least === undefined)
    throw new InvalidArgumentError('It must be milliseconds such as 40..200, or class, or none.');
  return [Number(least), Number(most ?? least)];
}

function fault(text: string, before: FaultInput[] = []): FaultInput[] {
  try {
    return [...before, JSON.parse(text) as FaultInput];
  } catch {
    throw new InvalidArgumentError('It must be a rule in JSON.');
  }
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
      new Option('--family <family>', 'one device family for all; absent: the five in turn').choices(FAMILY_NAMES),
    )
    .option('--firmware <version>', 'running firmware, such as 07.16.3')
    .option('--latency <ms>', 'time of an answer: 40..200, class (by device family) or none', latency)
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
    .option('--fleet <file>', 'a fleet file instead of --devices, --profile and the like')
    .option('--csv <file>', 'writes the list that the gateway imports')
    .option('--state <directory>', 'keeps certificates and settings between runs')
    .option('--ledger <file>', 'appends every line of the ledger as NDJSON')
    .option('--control-port <port>', 'of the control API on 127.0.0.1; 0: any free one', number, 0)
    .addHelpText('after', EXAMPLES)
    .parse();
  return command.opts<Flags>();
}

function optionsFrom(flags: Flags): FleetOptions {
  const wide = {
    timeScale: flags.timeScale,
    seed: flags.seed,
    firstNumber: flags.firstNumber,
    addressing: flags.addressing,
    port: flags.port,
  };
  const given = Object.fromEntries(Object.entries(wide).filter(([, value]) => value !== undefined));
  if (flags.fleet !== undefined) return { timeScale: 1, ...readFleetFile(flags.fleet), ...given };
  // Real devices take their time; the literal specification says nothing of it.
  const latencyMs = flags.latency ?? (flags.profile === 'rutos' ? 'class' : 'none');
  const own = {
    family: flags.family,
    firmware: flags.firmware,
    keepAlive: flags.keepAlive,
    rsaBits: flags.rsaBits,
    adminPassword: flags.password,
    faults: flags.fault,
    latencyMs: latencyMs === 'none' ? undefined : latencyMs,
  };
  return {
    devices: flags.devices,
    profile: flags.profile,
    timeScale: 1,
    ...given,
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
  };
}

async function main(): Promise<void> {
  const flags = readFlags();
  const begun = performance.now();
  const onError = (error: unknown): void =>
    void process.stderr.write(`simulator: ${(error as Error).stack ?? String(error)}\n`);
  const state = flags.state === undefined ? null : new StateDirectory(flags.state, onError);
  const ledgerFile = flags.ledger === undefined ? null : createWriteStream(flags.ledger, { flags: 'a' });
  const fleet = await startFleet({
    ...optionsFrom(flags),
    onError,
    ...(ledgerFile ? { onLine: (entry) => void ledgerFile.write(`${JSON.stringify(entry)}\n`) } : {}),
    ...(state ? { prepare: (device) => state.restore(device) } : {}),
  });
  const control = await startControl(fleet, flags.controlPort);
  state?.watch(fleet.devices);
  if (flags.csv !== undefined) writeFileSync(flags.csv, fleet.csv(), { mode: 0o600 });
  const [first, last] = [fleet.devices[0]!, fleet.devices.at(-1)!];
  process.stdout.write(
    [
      `${fleet.devices.length} devices are ready after ${((performance.now() - begun) / 1000).toFixed(1)} s, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`,
      `  devices   ${first.baseUrl} … ${last.baseUrl}`,
      `  login     ${first.username} / ${first.password} (the first one)`,
      `  control   ${control.url}/devices`,
      ...(flags.csv === undefined ? [] : [`  csv       ${flags.csv}`]),
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  );
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await state?.stop(fleet.devices);
    await Promise.all([control.close(), fleet.close()]);
    ledgerFile?.end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end());
}

await main();
