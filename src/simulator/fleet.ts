/*
 * The entry for programs: a fleet of simulated devices in this process, each listening, with one ledger. Tests, the
 * demonstration and the command line all start here.
 */
import type { Server as HttpServer } from 'node:http';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { PROFILES } from '../device-api/contract.js';
import { SimulatorClock } from './device/clock.js';
import { serviceDeclaration } from './device/service-declaration.js';
import { declarationTable } from './device/declarations/table.js';
import { SimulatedDevice, type DeviceSetup } from './device/device.js';
import { passwordRules } from './device/accounts.js';
import { DEFAULT_FIRMWARE, FAMILIES, FAMILY_NAMES, RECORDED_FAMILIES, type FamilyName } from './device/families.js';
import { faultRule, type FaultInput } from './device/faults.js';
import { Ledger, type LedgerEntry } from './device/ledger.js';
import { SCENARIO_NAMES } from './device/live/scenarios.js';
import { createSharedServer, DeviceListener } from './http/listener.js';
import { BEHAVIOURS } from './device/profile.js';
import { Random } from './device/random.js';
import type { Recording } from './device/recording.js';
import { serve } from './serve.js';

export type { SimulatedDevice } from './device/device.js';
export type { LedgerEntry } from './device/ledger.js';

const range = z
  .tuple([z.number().min(0), z.number().min(0)])
  .refine(([least, most]) => least <= most, 'the least comes first');

/** What backups of real devices take. */
export const REAL_BACKUP_BYTES: [number, number] = [60_000, 2_000_000];

/** What can differ between the groups of a mixed fleet. */
export const groupOptions = z.strictObject({
  devices: z.number().int().min(1).max(50_000),
  /** One family for all; absent: those that were recorded whole, in turn. */
  family: z.enum(FAMILY_NAMES as [FamilyName, ...FamilyName[]]).optional(),
  profile: z.enum(PROFILES).default('spec'),
  /** Running firmware, such as `07.24.2`. */
  firmware: z
    .string()
    .regex(/^\d+(\.\d+)*$/)
    .default(DEFAULT_FIRMWARE),
  /** `class`: by the family; a range in milliseconds; absent: answers at once. */
  latencyMs: z.union([z.literal('class'), range]).optional(),
  /** Absent: as the profile says. */
  keepAlive: z.boolean().optional(),
  slidingTokens: z.boolean().optional(),
  tokenLifetimeS: z.number().positive().optional(),
  /** Least and greatest size of a backup, drawn for each device; absent: only what its settings take, some kilobytes. */
  backupBytes: range.optional(),
  /** Modulus of generated RSA keys, whatever is asked for; small ones are made fast. */
  rsaBits: z.number().int().min(512).max(4096).optional(),
  /** How rough a day the devices have: what signal, traffic, position and restarts do. */
  scenario: z.enum(SCENARIO_NAMES).default('calm'),
  site: z.string().default(''),
  tags: z.array(z.string()).default([]),
  adminPassword: z.string().min(1).optional(),
  /** A device as from the factory: code 125 until its password is changed. */
  mustChangePassword: z.boolean().default(false),
  /** What a new password needs, where it is not as from the factory; devices have it as a setting. */
  passwordRules: passwordRules.optional(),
  faults: z.array(faultRule).default([]),
});

export const fleetWide = z.strictObject({
  seed: z.number().int().default(1),
  /** The number of the first device: names, serials, MACs and addresses of several fleets stay apart with it. */
  firstNumber: z.number().int().min(1).max(1_000_000).default(1),
  /** `port`: 127.0.0.1 and a port each; `address`: an address 127.x.y.z each and one port (not on macOS). */
  addressing: z.enum(['port', 'address']).default('port'),
  /** The first port, or the one port; absent: free ones are looked for below the range that systems hand out. */
  port: z.number().int().min(1).max(65_535).optional(),
  /** Device minutes pass so many times faster. Programs: 60, so a reboot takes a second or two. */
  timeScale: z.number().positive().max(100_000).default(60),
  ledgerLimit: z.number().int().min(100).default(200_000),
  /** Devices with keep-alive close a connection that was idle so long. */
  keepAliveS: z.number().positive().default(20),
  /** Configuration services beside the built-in ones. */
  services: z.array(serviceDeclaration).default([]),
});

type GroupInput = Omit<z.input<typeof groupOptions>, 'adminPassword' | 'faults'>;

export interface FleetOptions extends GroupInput, Omit<z.input<typeof fleetWide>, 'services'> {
  adminPassword?: string | ((index: number) => string);
  faults?: FaultInput[];
  services?: z.input<typeof serviceDeclaration>[];
  /** Further groups of devices after the first; indexes go on. */
  groups?: (GroupInput & { adminPassword?: string; faults?: FaultInput[] })[];
  /** Sees each line of the ledger when it is complete. */
  onLine?: (entry: LedgerEntry) => void;
  /** Gets the simulator's own errors; absent: they are in `Fleet.errors`. */
  onError?: (error: unknown) => void;
  /** A recorded router, whose answers all devices imitate (`readRecording`). */
  recording?: Recording | undefined;
  /** Called for each device before it listens: restores what a state directory stored. */
  prepare?: (device: SimulatedDevice) => void;
}

export interface Fleet {
  readonly devices: SimulatedDevice[];
  readonly ledger: Ledger;
  readonly clock: SimulatorClock;
  /** Errors of the simulator itself; a healthy run has none. */
  readonly errors: unknown[];
  /** A list that the gateway imports: the columns of `CSV_COLUMNS`. */
  csv(): string;
  close(): Promise<void>;
}

const CSV: Readonly<Record<string, (device: SimulatedDevice) => string>> = {
  name: ({ name }) => name,
  base_url: ({ baseUrl }) => baseUrl,
  username: ({ username }) => username,
  password: ({ password }) => password,
  serial: ({ serial }) => serial,
  mac: ({ mac }) => mac,
  model: ({ model }) => model,
  site: ({ setup }) => setup.site,
  tags: ({ setup }) => setup.tags.join(' '),
  pin: ({ fingerprint }) => fingerprint,
};
export const CSV_COLUMNS: readonly string[] = Object.keys(CSV);

/** Below the range from which systems take ports for outgoing connections (32768 on Linux): a port must be free after a reboot. */
const FIRST_PORTS: readonly [number, number] = [20_000, 31_000];
const ADDRESS_PORT = 8443;

/** Starts the devices and answers when all listen. @throws ZodError for options that have not the right form */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { adminPassword, faults, services, groups = [], onLine, onError, prepare, recording, ...rest } = options;
  const { wide, first } = split(rest);
  const settings = fleetWide.parse(defined({ ...wide, services }));
  const clock = new SimulatorClock(settings.timeScale);
  const random = new Random(`fleet-${settings.seed}`);
  const errors: unknown[] = [];
  const devices: SimulatedDevice[] = [];
  const ledger = new Ledger((index) => devices[index]?.sessions.open ?? 0, onLine, settings.ledgerLimit);
  const declarations = declarationTable(settings.services);
  const fixed = typeof adminPassword === 'string' ? { adminPassword } : {};
  const rules: FaultInput[][] = [];
  for (const input of [defined({ ...first, ...fixed, faults }), ...groups]) {
    const group = groupOptions.parse(input);
    for (let member = 0; member < group.devices; member++) {
      const index = devices.length;
      const password = group.adminPassword ?? (typeof adminPassword === 'function' ? adminPassword(index) : undefined);
      const number = settings.firstNumber + index;
      devices.push(makeDevice(index, number, group, password, { clock, ledger, random, declarations, recording }));
      rules.push(group.faults);
    }
  }
  const shared = createSharedServer(settings.keepAliveS * 1000, (request, response) => {
    serve(request, response, onError ?? ((error) => void errors.push(error))).catch((error: unknown) => {
      errors.push(error);
      request.socket.destroy();
    });
  });
  await listen(devices, shared, settings, random, prepare);
  devices.forEach((device, index) => rules[index]!.forEach((rule) => device.faults.add(rule)));
  return {
    devices,
    ledger,
    clock,
    errors,
    csv: () => csvOf(devices),
    close: async () => {
      clock.stop();
      await Promise.all(devices.map((device) => device.stop()));
      shared.close();
    },
  };
}

/** The options of the fleet and those of its first group, which are side by side in `FleetOptions`. */
function split(options: Record<string, unknown>): { wide: Record<string, unknown>; first: Record<string, unknown> } {
  const entries = Object.entries(defined(options));
  const isWide = ([name]: [string, unknown]): boolean => name in fleetWide.shape;
  return {
    wide: Object.fromEntries(entries.filter(isWide)),
    first: Object.fromEntries(entries.filter((entry) => !isWide(entry))),
  };
}

/** Without the options that are not given. */
export function defined<Value>(options: Readonly<Record<string, Value>>): Record<string, Exclude<Value, undefined>> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, Exclude<Value, undefined>>;
}

function makeDevice(
  index: number,
  number: number,
  group: z.output<typeof groupOptions>,
  password: string | undefined,
  shared: Pick<DeviceSetup, 'clock' | 'ledger' | 'random' | 'declarations' | 'recording'>,
): SimulatedDevice {
  const family = FAMILIES[group.family ?? RECORDED_FAMILIES[(number - 1) % RECORDED_FAMILIES.length]!];
  const base = BEHAVIOURS[group.profile];
  const serial = String(1_099_999_999 + number);
  return new SimulatedDevice({
    index,
    serial,
    // Locally administered, so it belongs to no vendor. A device has sixteen: its sockets and networks have their own.
    mac: ['02', '1E', ...((number - 1) * 16).toString(16).toUpperCase().padStart(8, '0').match(/../g)!].join(':'),
    name: `${family.model.toLowerCase()}-${String(number).padStart(5, '0')}`,
    site: group.site,
    tags: group.tags,
    family,
    behaviour: {
      ...base,
      keepAlive: group.keepAlive ?? base.keepAlive,
      slidingTokens: group.slidingTokens ?? base.slidingTokens,
    },
    firmware: group.firmware,
    password: password ?? `Router-${serial.slice(-5)}!`,
    latencyMs: group.latencyMs === 'class' ? family.latencyMs : (group.latencyMs ?? null),
    backupBytes: group.backupBytes ?? null,
    tokenLifetimeMs: group.tokenLifetimeS && group.tokenLifetimeS * 1000,
    rsaBits: group.rsaBits,
    mustChangePassword: group.mustChangePassword,
    passwordRules: group.passwordRules,
    scenario: group.scenario,
    ...shared,
    random: shared.random.fork(number - 1),
  });
}

/** Opens one listener after the other, so that ports rise with the devices also where some are taken. */
async function listen(
  devices: readonly SimulatedDevice[],
  shared: HttpServer,
  { addressing, port, firstNumber }: z.output<typeof fleetWide>,
  random: Random,
  prepare?: (device: SimulatedDevice) => void,
): Promise<void> {
  const [least, most] = FIRST_PORTS;
  // Fleets of one machine begin at different places, so that they rarely ask for the same port.
  const spread = Math.max(1, most - least - devices.length);
  const start = port ?? least + ((process.pid * 131 + random.integer(0, 97)) % spread);
  let next = start;
  const place = async (device: SimulatedDevice): Promise<void> => {
    for (;;) {
      const at = addressing === 'address' ? (port ?? ADDRESS_PORT) : next++;
      if (at > 65_535) throw new Error('There are no free ports left for the devices');
      const listener = new DeviceListener(
        device,
        shared,
        addressing === 'address' ? addressOf(firstNumber + device.index) : '127.0.0.1',
        at,
      );
      try {
        await listener.listenOnce();
        device.attach(listener);
        prepare?.(device);
        await device.start();
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || addressing === 'address') throw error;
      }
    }
  };
  for (const device of devices) await place(device);
}

/** 127.16.0.1 and on: far from 127.0.0.1, where other things listen. */
function addressOf(number: number): string {
  const index = number - 1;
  return `127.${16 + Math.floor(index / 64_000)}.${Math.floor((index % 64_000) / 250)}.${(index % 250) + 1}`;
}

function csvOf(devices: readonly SimulatedDevice[]): string {
  const lines = devices.map((device) => Object.values(CSV).map((valueOf) => valueOf(device)));
  return stringify([CSV_COLUMNS, ...lines]);
}
