import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { canonicalMac } from '../device-api/mac.js';
import { instant } from '../http/endpoint.js';
import { pageOf } from '../http/page.js';
import { givenInstant, nameSuchAs, textSuchAs } from '../http/schemas.js';
import { timeZone } from '../platform/time-zone.js';
import { offeredCertificateView, shownCertificateView } from './device-certificates.js';
import { sampleView, samplingView } from './device-samples.js';
import { fieldChanges, fieldValues } from './fields.contract.js';
import { SELECTOR_LENGTH_MAX } from '../selectors/selector.js';

/* Input and output of the registry. Passwords are input only. */

/** A reference `name:…` allows these. Devices with older names that contain others are addressed by id. */
const NO_CONTROLS = /^[^\p{Cc}\p{Cs}]*$/u;

export const selectorText = z
  .string()
  .min(1)
  .max(SELECTOR_LENGTH_MAX)
  .describe('Which devices; see docs/reference/selectors.md');

export const expectedDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
  .describe('`digest` of a preview: where the selector names other devices by now, nothing happens')
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] });

const name = nameSuchAs('pump-1')
  .regex(NO_CONTROLS, 'no line breaks, tabs or other control characters')
  .describe('Unique in the fleet; upper and lower case are the same');
const serial = z.string().trim().min(1).max(64).regex(NO_CONTROLS, 'no control characters');
export const tag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.:/-]{0,62}$/, 'lower-case letters, digits and _ . : / - only')
  .meta({ examples: ['pump'] });
export const TAGS_MAX = 50;

const tags = z
  .array(tag)
  .max(TAGS_MAX)
  .meta({ examples: [['pump']] })
  .transform((list) => [...new Set(list)].sort());
const site = z
  .string()
  .trim()
  .max(120)
  .regex(NO_CONTROLS, 'no line breaks, tabs or other control characters')
  .refine(
    (text) => text === '' || text.split('/').every((part) => part !== '' && part === part.trim()),
    'parts separated by /, none of them empty or with spaces around it',
  )
  .describe('Where the device is, such as vilnius/plant-2')
  .meta({ examples: ['vilnius/plant-2'] });

const note = z
  .string()
  .trim()
  .max(1_000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|\n)*$/u, 'no control characters except line feeds')
  .describe('What people should know about the device; not for secrets')
  .meta({ examples: ['Keys at the gate'] });

const mac = z
  .string()
  .max(60)
  .refine((text) => canonicalMac(text) !== null, 'six bytes in hex, such as 00:1e:42:00:00:01')
  .describe('In any spelling, such as `001e.4200.0001` or `00-1E-42-00-00-01`')
  .meta({ examples: ['00:1e:42:00:00:01'] })
  .transform((text) => canonicalMac(text)!);

const pin = z
  .string()
  .regex(/^sha256\/[A-Za-z0-9+/]{43}=$/, 'sha256/ and the base64 of the SHA-256 of the public key')
  .describe('SHA-256 of the public key of the certificate (SPKI), as `sha256/…`')
  .meta({ examples: ['sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='] });

const caBundle = z
  .string()
  .max(100_000)
  .refine(isCertificateBundle, 'one or more certificates in PEM')
  .describe('Certificates in PEM that may sign the certificate of the device');

/** `pin` without a pin trusts the key of the first contact, and later no other key. */
export const trustInput = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('pin'), pin: pin.optional() }),
  z.strictObject({ mode: z.literal('ca'), ca: caBundle }),
  z.strictObject({
    mode: z.literal('insecure'),
    expiresAt: givenInstant.describe('At most 30 days ahead'),
  }),
]);
export type TrustInput = z.output<typeof trustInput>;

export const credentialsInput = z
  .strictObject({
    username: z
      .string()
      .min(1)
      .max(120)
      .meta({ examples: ['admin'] }),
    password: z
      .string()
      .min(1)
      .max(256)
      .describe('Stored sealed; no answer ever shows it')
      .meta({ examples: ['correct-Horse-7'] }),
  })
  .meta({ id: 'DeviceCredentials' });
export type CredentialsInput = z.output<typeof credentialsInput>;

const baseUrl = z.string().min(1).max(300);

const spareUrl = baseUrl
  .nullable()
  .describe(
    'Where calls go while the device does not answer at its base URL, such as its address in a tunnel; null: nowhere else. ' +
      'Its key, or the authority of its trust, must prove the device there',
  )
  .meta({ examples: ['https://198.51.100.7'] });

const sessions = z
  .number()
  .int()
  .min(1)
  .max(4)
  .describe(
    'Simultaneous sessions with each account; use 1 unless calls wait for each other, since each login uses device memory',
  );

export const registerInput = z
  .strictObject({
    name,
    baseUrl: baseUrl.describe('https://host[:port] of the device').meta({ examples: ['https://192.0.2.7'] }),
    spareUrl: spareUrl.optional(),
    serial: serial.optional(),
    mac: mac.optional(),
    model: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .optional()
      .describe('The name of the product, such as RUTX50, if known; learned from the device later'),
    site: site.default(''),
    tags: tags.default([]),
    note: note.default(''),
    fields: fieldChanges.default({}),
    timeZone: timeZone.optional().describe('Time zone of maintenance windows; absent: that of the rollout'),
    sessions: sessions.default(1),
    trust: trustInput.default({ mode: 'pin' }),
    credentials: credentialsInput.optional(),
  })
  .meta({ id: 'RegisterDevice' });
export type RegisterInput = z.output<typeof registerInput>;

export const changeInput = z
  .strictObject({
    name: name.optional(),
    baseUrl: baseUrl
      .optional()
      .describe('Stored credentials belong to the old address: give them again, or the gateway deletes them'),
    spareUrl: spareUrl.optional(),
    credentials: credentialsInput.optional(),
    serial: serial.nullable().optional(),
    mac: mac.nullable().optional(),
    site: site.optional(),
    tags: tags.optional(),
    note: note.optional(),
    fields: fieldChanges.optional(),
    timeZone: timeZone.nullable().optional(),
    sessions: sessions.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'name at least one field to change')
  .meta({ id: 'ChangeDevice' });
export type ChangeInput = z.output<typeof changeInput>;

export const replaceInput = z
  .strictObject({
    serial: serial.optional().describe('Of the new hardware; absent: learned at its first login'),
    mac: mac.optional(),
    baseUrl: baseUrl
      .optional()
      .describe('If the new hardware has another address')
      .meta({ examples: ['https://192.0.2.8'] }),
    trust: trustInput.default({ mode: 'pin' }).describe('How the gateway recognises the new hardware'),
    credentials: credentialsInput.optional().describe('Absent: the device has none until they are set'),
  })
  .meta({ id: 'ReplaceDevice' });
export type ReplaceInput = z.output<typeof replaceInput>;

const accountView = z.object({ username: z.string(), failedLogins: z.number().int(), changedAt: instant });

export const deviceView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    baseUrl: textSuchAs('https://192.0.2.7'),
    spareUrl: textSuchAs('https://198.51.100.7').nullable(),
    bySpare: z.boolean().describe('Whether it answers at `spareUrl` now, where calls go, and not at `baseUrl`'),
    serial: textSuchAs('1112223334').nullable(),
    mac: textSuchAs('00:1e:42:00:00:01').nullable(),
    model: textSuchAs('RUTX50').nullable(),
    firmware: textSuchAs('7.16.3').nullable(),
    networkOperator: textSuchAs('Example Mobile').nullable().describe('The mobile network that its modem named last'),
    site: textSuchAs('vilnius/plant-2'),
    tags: z.array(z.string()),
    note: textSuchAs('Keys at the gate'),
    fields: fieldValues,
    formerSerials: z.array(textSuchAs('1112223333')).describe('Of the hardware that it replaced, the latest last'),
    timeZone: textSuchAs('Europe/Vilnius').nullable(),
    profile: z.enum(['unknown', 'spec', 'rutos']),
    apiVersion: textSuchAs('1.8.3').nullable(),
    trust: z.object({
      mode: z.enum(['pin', 'ca', 'insecure']),
      pin: z.string().nullable(),
      offeredPin: z.string().nullable().describe('What the device showed instead of the pin'),
      offeredCertificate: offeredCertificateView
        .nullable()
        .describe('The certificate of `offeredPin`, if it can be read'),
      expiresAt: instant.nullable(),
    }),
    sessions: z.number().int().describe('Simultaneous sessions with each account'),
    credentials: accountView
      .nullable()
      .describe(
        'The user name that the gateway logs in with; the password cannot be read. null: none is stored, and no call or ' +
          'job can reach the device; the selector `credentials:none` names such devices',
      ),
    readCredentials: accountView
      .nullable()
      .describe('Whose login it uses to read, where the device has such an account'),
    state: z.enum(['new', 'online', 'offline', 'credentials_refused', 'trust_changed']),
    stateReason: z.string().nullable(),
    identityReason: z
      .string()
      .nullable()
      .describe('Why its identity is in doubt: another device reports the same, or no serial number is compared'),
    seenAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
    sample: sampleView
      .nullable()
      .optional()
      .describe(
        'The latest values, in lists where `fields` names it. null: none, or you may not call the device to read',
      ),
    sampling: samplingView
      .nullable()
      .optional()
      .describe('As `sample`; null: no policy of monitoring names the device'),
    loginsToday: z.number().int().optional().describe('As `sample`: logins of the gateway since midnight (UTC)'),
    certificate: shownCertificateView
      .nullable()
      .optional()
      .describe('In lists where `fields` names it. null: no TLS handshake since it was registered'),
  })
  .meta({ id: 'Device' });

export const historyView = pageOf(
  z.object({
    at: instant,
    field: z.enum([
      'state',
      'firmware',
      'serial',
      'mac',
      'model',
      'profile',
      'api_version',
      'claimed_serial',
      'claimed_mac',
      'address',
    ]),
    before: z.string().nullable(),
    after: z.string().nullable(),
    reason: z.string().nullable().describe('Why the state changed; null for other fields'),
  }),
).meta({ id: 'DeviceHistory' });
export type DeviceHistory = z.input<typeof historyView>;

export const selectorName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, - and _')
  .meta({ examples: ['pumps'] });

export const saveSelectorInput = z
  .strictObject({
    selector: selectorText,
    description: z.string().trim().max(500).default('').describe('What it is for'),
  })
  .meta({ id: 'SaveSelector' });
export type SaveSelectorInput = z.output<typeof saveSelectorInput>;

export const savedSelectorView = z
  .object({ name: z.string(), selector: z.string(), description: z.string(), updatedAt: instant })
  .meta({ id: 'SavedSelector' });

export const savedSelectorList = z.object({ items: z.array(savedSelectorView) }).meta({ id: 'SavedSelectorList' });

const fleetFormat = z.enum(['csv', 'ndjson']);

export const importQuery = z.strictObject({
  dryRun: z.stringbool().default(false).describe('Check and count, without changes'),
  onError: z
    .enum(['stop', 'skip'])
    .default('stop')
    .describe('`stop`: one bad line and nothing is imported; `skip`: the good lines are imported'),
});
export type ImportQuery = z.output<typeof importQuery>;

const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

const importChange = z
  .object({
    line: z.number().int(),
    device: z.string().describe('Its name before'),
    fields: z.array(
      z.object({ field: z.string(), before: fieldValue, after: fieldValue.describe('Of credentials the user name') }),
    ),
  })
  .meta({ id: 'ImportChange' });
export type ImportChange = z.output<typeof importChange>;

export const importView = z
  .object({
    dryRun: z.boolean(),
    encoding: z.string().describe('How the file was read, such as utf-8 or windows-1252'),
    lines: z.number().int(),
    created: z.number().int(),
    updated: z.number().int(),
    unchanged: z.number().int(),
    failed: z.number().int().describe('Lines with an error'),
    withoutCredentials: z
      .number()
      .int()
      .optional()
      .describe('Devices of the file for which no login is stored after it; `credentials:none` names them'),
    errors: z
      .array(z.object({ line: z.number().int(), field: z.string().nullable(), code: z.string(), detail: z.string() }))
      .describe('The first 1,000, in the order of the lines; line 1 of a CSV file is its header'),
    changes: z
      .array(importChange)
      .optional()
      .describe('Of a dry run: what would change of known devices, for the first 1,000 of them'),
  })
  .meta({ id: 'FleetImport' });
export type ImportView = z.output<typeof importView>;

export const importOperationView = z
  .object({
    id: z.uuid(),
    state: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
    dryRun: z.boolean(),
    lines: z.number().int().nullable().describe('Lines of the file; null: still reading'),
    doneLines: z.number().int().describe('Checked lines; all their changes are committed together at the end'),
    result: importView.nullable().describe('Present when it has succeeded'),
    failure: z
      .object({ code: z.string(), detail: z.string(), errors: z.array(z.unknown()) })
      .nullable()
      .describe('Why it changed nothing'),
    createdByName: z.string(),
    createdAt: instant,
    endedAt: instant.nullable(),
  })
  .meta({ id: 'ImportOperation' });
export type ImportOperation = z.input<typeof importOperationView>;

export const removeInput = z
  .strictObject({
    selector: selectorText,
    expectedDigest: expectedDigest.optional(),
    dryRun: z.boolean().default(false).describe('Count only, and remove nothing'),
  })
  .refine(({ dryRun, expectedDigest }) => dryRun || expectedDigest !== undefined, {
    path: ['expectedDigest'],
    message: 'send the digest of a dry run',
  })
  .meta({ id: 'RemoveDevices', examples: [{ selector: 'tag:pump', dryRun: true }] });
export type RemoveInput = z.output<typeof removeInput>;

export const removeView = z
  .object({
    dryRun: z.boolean(),
    matched: z.number().int(),
    digest: z.string().describe('SHA-256 of the sorted ids of the devices, in hex'),
    removed: z.number().int(),
  })
  .meta({ id: 'DevicesRemoved' });
export type RemoveView = z.output<typeof removeView>;

export const exportQuery = z.strictObject({
  format: fleetFormat.default('csv'),
  selector: z
    .string()
    .max(SELECTOR_LENGTH_MAX)
    .default('all')
    .describe('Which devices; see docs/reference/selectors.md'),
});
export type ExportQuery = z.output<typeof exportQuery>;

export const exportedDevice = z
  .looseObject({
    name: textSuchAs('pump-1'),
    baseUrl: textSuchAs('https://192.0.2.7'),
    site: textSuchAs('vilnius/plant-2'),
    tags: z.array(z.string()),
  })
  .meta({ id: 'ExportedDevice' });

export const FLEET_CSV =
  'name,base_url,username,serial,site,tags\npump-1,https://192.0.2.7,admin,1112223334,vilnius/plant-2,pump north\n';

export const tagsInput = z
  .strictObject({
    selector: selectorText,
    add: tags.default([]),
    remove: tags.default([]),
    expectedDigest: expectedDigest.optional(),
    dryRun: z.boolean().default(false).describe('Count only, and change nothing'),
  })
  .refine(({ add, remove }) => add.length + remove.length > 0, 'name at least one tag to add or remove')
  .meta({ id: 'ChangeTags' });
export type TagsInput = z.output<typeof tagsInput>;

export const tagsView = z
  .object({
    dryRun: z.boolean(),
    matched: z.number().int(),
    changed: z.number().int(),
    forbidden: z.number().int().describe('How many of the matching devices you may not change'),
    locked: z.number().int().describe('How many others are locked, and so stay as they are'),
  })
  .meta({ id: 'TagsChanged' });
export type TagsView = z.input<typeof tagsView>;

function isCertificateBundle(text: string): boolean {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!blocks) return false;
  try {
    for (const block of blocks) void new X509Certificate(block);
    return true;
  } catch {
    return false;
  }
}
