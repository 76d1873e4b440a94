/* The two profiles as switches: every difference between `spec` and `rutos` that is not a status code is named here. */
import { MAX_BULK_ITEMS, type Profile } from '../../device-api/contract.js';
import type { Range } from './random.js';

export interface Behaviour {
  readonly profile: Profile;
  /** Whether use prolongs a token (observed-devices.md 1.14). */
  readonly slidingTokens: boolean;
  /** Real devices close after each answer (observed-devices.md 1.15). */
  readonly keepAlive: boolean;
  readonly createdStatus: number;
  readonly bulkStatus: number;
  readonly maxBulkItems: number;
  /** Whether a change of one's own password wants the present one, and a device after a reset another (observed-devices.md 2). */
  readonly passwordProof: boolean;
  /** Failed logins from one address until it is blocked; 0: never. */
  readonly lockoutAfter: number;
  readonly lockoutMs: number;
  /** Requests that run at once, further ones wait. */
  readonly maxParallel: number;
  readonly maxConnections: number;
  /** Time that one login takes, one after the other (chosen); only when latencies are simulated. */
  readonly loginMs: Range;
  /** Whether a version prefix may be any number and says nothing (observed-devices.md 1.7), or is one of the three latest, which differ. */
  readonly anyVersion: boolean;
  /** A weak account gets partial objects with 200 (observed-devices.md 3, Users and groups). */
  readonly partialForWeak: boolean;
  /** `login` answers the group too. */
  readonly loginGroup: boolean;
  /** Whether `options` in the body of a GET say what its query can say (specification, Request envelope). */
  readonly optionsOnGet: boolean;
}

/** The versions that a device of the `spec` profile serves: the three latest, of which the last has no prefix. */
export const SPEC_VERSIONS: readonly number[] = [1, 2, 3];

/** What a path without a version means (specification, Versioning 2). */
export const LATEST_VERSION = SPEC_VERSIONS.at(-1)!;

/** Largest JSON body that a device reads, in bytes (chosen). */
export const MAX_JSON_BYTES = 1024 * 1024;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export const BEHAVIOURS: Readonly<Record<Profile, Behaviour>> = {
  spec: {
    profile: 'spec',
    slidingTokens: false,
    keepAlive: true,
    createdStatus: 200,
    bulkStatus: 200,
    maxBulkItems: NO_LIMIT,
    passwordProof: false,
    lockoutAfter: 0,
    lockoutMs: 0,
    maxParallel: NO_LIMIT,
    maxConnections: NO_LIMIT,
    loginMs: [0, 0],
    anyVersion: false,
    partialForWeak: false,
    loginGroup: false,
    optionsOnGet: true,
  },
  rutos: {
    profile: 'rutos',
    slidingTokens: true,
    keepAlive: false,
    createdStatus: 201,
    bulkStatus: 207,
    maxBulkItems: MAX_BULK_ITEMS,
    passwordProof: true,
    lockoutAfter: 10,
    lockoutMs: 15 * 60_000,
    maxParallel: 10,
    maxConnections: 100,
    loginMs: [100, 300],
    anyVersion: true,
    partialForWeak: true,
    loginGroup: true,
    optionsOnGet: false,
  },
};

/** How long the device works, in milliseconds of device time (observed-devices.md 5; ranges are its own). */
export const DURATIONS = {
  rebootBegins: [500, 3_000],
  rebootAway: [45_000, 90_000],
  flashBegins: [5_000, 60_000],
  flashAway: [120_000, 240_000],
  /** After the port is open again, connections are reset for this long. */
  resets: [5_000, 15_000],
  backup: [10_000, 60_000],
  certificateKey: [1_000, 4_000],
  certificate: [200, 200],
  diffieHellman: [20_000, 120_000],
  firmwareDownload: [30_000, 120_000],
  updatesLookup: [500, 5_000],
  loadAverage: [1_000, 1_000],
} as const satisfies Record<string, Range>;
