import { z } from 'zod';
import { AppError } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import { type KindResult } from '../../kind-api/kind.js';
import { approvedSha256, end, hasCode, storedFailure, succeed } from '../../kind-api/outcomes.js';

/*
 * The spec of an upgrade, its state at each step, and its end before anything was flashed.
 */

/**
 * The most transfers of an image in one job: the device may get other bytes, lose the image, or fail to download it. An
 * upload that broke off is an error of the step, and does not count.
 */
export const MAX_TRIES = 3;

export const spec = z
  .strictObject({
    source: z
      .enum(['artifact', 'vendor'])
      .default('artifact')
      .describe('The source of the image')
      .meta({ examples: ['vendor'] }),
    artifactId: z.uuid().optional().describe('The image in the artifact store'),
    sha256: approvedSha256,
    version: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe('From the vendor: the only accepted version; absent: its newest'),
    keepSettings: z.boolean().default(true),
    allowDowngrade: z.boolean().default(false),
    allowUnauthorized: z
      .boolean()
      .default(false)
      .describe('Whether an image without the vendor’s signature is accepted'),
    requireSignature: z.boolean().default(false).describe('Whether the artifact must have a signature of yours'),
    backup: z.enum(['required', 'skip']).default('required').describe('Whether a stored backup is required'),
    backupMaxAgeHours: z.number().positive().max(8_760).default(24),
    minimumSignalDbm: z
      .number()
      .min(-140)
      .max(0)
      .nullable()
      .default(-115)
      .describe('Weakest RSRP at which to begin, where the device has a modem that tells it; null: any'),
  })
  .refine(({ source, artifactId }) => (source === 'artifact') === (artifactId !== undefined), {
    message: 'artifactId is required with the source `artifact`, and only with it',
    path: ['artifactId'],
  });
export type Spec = z.infer<typeof spec>;

/** What is known from the step `check` on. */
const fromCheck = {
  spec,
  serial: z.string(),
  models: z.array(z.string()),
  hardware: z.string().nullable(),
  /** The version at the start of the job. */
  from: z.string().nullable(),
};
/** What is known from the transfer of the image on: the paths that answered before, and the transfers so far. */
const fromTransfer = { ...fromCheck, services: z.array(z.string()), tries: z.number().int() };
/** Since when the device reports no internet. */
const offlineSince = { offlineSince: z.iso.datetime().optional() };
/** The version that the vendor's server offers. */
const offered = { offered: z.string() };
/** What is known once the device has checked the image: the image's version; null when the device does not report it. */
const fromReport = { ...fromTransfer, wanted: z.string().nullable() };

export const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('check'), ...fromCheck }),
  z.object({ at: z.literal('upload'), ...fromTransfer }),
  z.object({ at: z.literal('offer'), ...fromTransfer, ...offlineSince }),
  z.object({ at: z.literal('fetch'), ...fromTransfer, ...offlineSince, ...offered }),
  z.object({
    at: z.literal('download'),
    ...fromTransfer,
    ...offered,
    percent: z.number(),
    /** When `percent` last changed. */
    movedAt: z.iso.datetime(),
  }),
  z.object({ at: z.literal('verify'), ...fromTransfer, ...offered }),
  z.object({ at: z.literal('discard'), ...fromTransfer, failure: storedFailure }),
  z.object({
    at: z.literal('upgrade'),
    ...fromReport,
    /** Since when no probe found the device. */
    missedSince: z.iso.datetime().optional(),
  }),
  z.object({
    at: z.literal('confirm'),
    ...fromReport,
    /** The version after the restart; the name is in stored rows. */
    now: z.string(),
    downSeconds: z.number(),
    /** When the device was first found with the new version; its services may start for some minutes from then on. */
    since: z.iso.datetime(),
  }),
]);
export type Cursor = z.infer<typeof cursorSchema>;
export type Result = KindResult<Cursor>;

/** The device already runs the requested version. */
export function alreadyThere(version: string | null): Result {
  return succeed({ version, changed: false }, 'The device already runs this version; nothing was done');
}

/** A check failed, and nothing was flashed. */
export const notExecuted = (failure: Failure) => end('not_executed', failure);

/** Whether a device refused a call with this code. */
export function isRefusedWith(error: unknown, code: number): boolean {
  return error instanceof AppError && error.code === 'device_refused' && hasCode(error, code);
}
