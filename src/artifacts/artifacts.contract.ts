import { z } from 'zod';
import { deviceRef } from '../selectors/device-ref.js';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { ARTIFACT_KINDS } from './artifact.entity.js';
import { SHA256 } from './artifacts.js';
import { OUTCOMES, PHASES } from './job-phases.js';

/* What goes in and out of the routes of artifacts. */

const kind = z.enum(ARTIFACT_KINDS);

const sha256 = z.string().toLowerCase().regex(SHA256, 'must be a SHA-256 digest, 64 hexadecimal digits');

/** Names and patterns in one text, as a query and a field of a form carry them. */
const patterns = z
  .string()
  .max(2_000)
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(z.array(z.string().regex(/^[\w .+*-]{1,60}$/, 'must be names, with * for any text')).max(50));

const version = z
  .string()
  .regex(/^[\w .+-]{0,60}\d[\w .+-]{0,20}$/, 'must be a version, such as 7.16.3 or RUTX_R_00.07.16.3');

/** What is said of a file beside its bytes: as the query of a raw body, or as the fields of a form before the file. */
export const uploadInput = z.strictObject({
  kind: z.enum(['firmware', 'certificate', 'configuration', 'file']),
  name: z
    .string()
    .regex(/^[^\p{Cc}/\\]{1,200}$/u, 'must be a file name without a path')
    .optional()
    .describe('File name; absent: that of the form, or `artifact`'),
  sha256: sha256.optional().describe('The digest that the bytes must have'),
  signature: z
    .base64()
    .max(200)
    .optional()
    .describe('Ed25519 over the 32 bytes of the digest, in base64; see docs/howto/sign-artifacts.md'),
  version: version.optional().describe('Firmware: the version of the image; absent: read from it where it says one'),
  models: patterns.describe('Firmware: its models, separated by commas, with * for any text; absent: read from it'),
  hardware: patterns.describe('Firmware: its hardware versions'),
  minimumVersion: version.optional().describe('Firmware: the oldest version from which a device may install it'),
});
export type UploadInput = z.output<typeof uploadInput>;

/** The form: what is said of the file, and the file as its last part. */
export const uploadForm = z
  .strictObject({
    ...uploadInput.shape,
    file: z
      .string()
      .meta({ format: 'binary', examples: ['The bytes of the file'] })
      .describe('The last part'),
  })
  .meta({ id: 'UploadArtifact' });

export const listArtifactsQuery = z.strictObject({
  ...pageQuery.shape,
  device: deviceRef.optional().describe('Only artifacts of this device'),
  job: z.uuid().optional().describe('Only artifacts of this job'),
  kind: kind.optional(),
  sha256: sha256.optional(),
});
export type ListArtifactsQuery = z.output<typeof listArtifactsQuery>;

export const artifactView = z
  .object({
    id: z.uuid(),
    kind,
    name: z.string().describe('File name'),
    sha256: z.string(),
    bytes: z.number().int(),
    deviceId: z.uuid().nullable(),
    jobId: z.uuid().nullable().describe('The job that made it'),
    version: z.string().nullable(),
    models: z.array(z.string()),
    hardware: z.array(z.string()),
    minimumVersion: z.string().nullable(),
    isImage: z
      .boolean()
      .nullable()
      .describe('Firmware: whether its bytes were recognised as an image; false: devices will probably refuse it'),
    signedBy: z.string().nullable().describe('Name of the key that verified its signature'),
    createdBy: z.string().nullable(),
    createdByName: z.string().nullable(),
    createdAt: instant,
    openUses: z.number().int().describe('Jobs that use it and have not ended: they prevent its deletion'),
    sameSettings: z
      .boolean()
      .nullable()
      .describe(
        'Backup: whether it has the same settings as the one before it of its device; null: it is the first one, or one of ' +
          'both was not opened',
      ),
  })
  .meta({ id: 'Artifact' });

export const artifactPage = pageOf(artifactView).meta({ id: 'ArtifactPage' });

export const artifactWithUsesView = artifactView
  .extend({
    uses: z
      .array(
        z.object({
          jobId: z.uuid(),
          deviceId: z.uuid(),
          kind: z.string(),
          phase: z.enum(PHASES),
          outcome: z.enum(OUTCOMES).nullable(),
          createdAt: instant,
        }),
      )
      .describe('Jobs that use it, the newest hundred'),
  })
  .meta({ id: 'ArtifactWithUses' });

export const usageView = z
  .object({
    quotaBytes: z.number().int(),
    usedBytes: z.number().int().describe('Total size of stored bytes; equal bytes count once'),
    reservedBytes: z.number().int().describe('Reserved for uploads in progress'),
  })
  .meta({ id: 'ArtifactUsage' });
