import { type components } from '../../../../src/api-client/api-client.js';
import { check, type FieldsOf, PASSWORD, users } from './account-fields.js';
import { type Field, type Fields, type Spec } from './fields.js';

/*
 * The fields of each kind of job, in the order of the form, with the words for people. Their names are those of the schemas of
 * the API document: a name too many or too few is an error of types, and a test compares ranges, choices and patterns.
 */

type Schemas = components['schemas'];

const checkedFirst = (label: string) => ({ is: 'check', label, on: true, preset: true }) satisfies Field;

/** Set where a stored file is chosen: the digest of exactly this file. */
const DIGEST: Field = { is: 'with-another', label: 'Digest' };

const isFromVendor = ({ source }: Spec) => source === 'vendor';
const isStored = (spec: Spec) => !isFromVendor(spec);
const isRequiringBackup = ({ backup }: Spec) => backup !== 'skip';

const backup: FieldsOf<Schemas['BackupJobSpec']> = {
  sealedValue: {
    is: 'sealed',
    label: 'Encryption',
    secret: 'passphrase',
    none: 'None',
    some: 'With a passphrase',
  },
};

const call: FieldsOf<Schemas['CallJobSpec']> = {
  method: {
    is: 'choice',
    label: 'Method',
    isRequired: true,
    options: [
      ['GET', 'GET: read'],
      ['PUT', 'PUT: change'],
      ['POST', 'POST: add, or an action'],
      ['DELETE', 'DELETE: remove'],
    ],
  },
  path: {
    is: 'text',
    label: 'Path',
    from: 'operations',
    isRequired: true,
    hint: 'On the device. Type a word of it, such as ntp, and choose.',
    example: '/api/system/device/status',
  },
  data: { is: 'pairs', of: 'texts', label: 'Values to send', when: ({ method }) => method !== 'GET' },
  expect: {
    is: 'group',
    label: 'Expected answer',
    hint: 'Empty: any success',
    of: {
      status: { is: 'number', label: 'Status', min: 200, max: 599 },
      body: { is: 'pairs', of: 'values', label: 'Fields of the answer' },
    } satisfies FieldsOf<Schemas['CallExpectation']>,
  },
  verify: { ...checkedFirst('Read a change back'), when: ({ method }) => method !== 'GET' },
};

const certificates: FieldsOf<Schemas['CertificatesJobSpec']> = {
  type: {
    is: 'choice',
    label: 'What is made',
    isRequired: true,
    isWide: true,
    options: [
      ['simple', 'A full set: authority, server, client, parameters'],
      ['ca', 'An authority'],
      ['server', 'A server certificate'],
      ['client', 'A client certificate'],
      ['dh', 'Parameters for the key exchange'],
    ],
  },
  name: {
    is: 'text',
    label: 'Name of the files',
    pattern: '^[A-Za-z0-9_-][A-Za-z0-9_-]{0,47}$',
    hint: 'Letters, digits, _ and -; at most 48. Empty: like the type.',
    when: ({ type }) => type !== 'simple',
  },
  subject: {
    is: 'text',
    label: 'Common name',
    pattern: '^[\\w .@-]{1,64}$',
    hint: 'Letters, digits, spaces, . @ _ and -; at most 64. Empty: like the type.',
  },
  days: { is: 'number', label: 'Valid for days', min: 1, max: 36_500, preset: 3_650 },
  keyBits: { is: 'number-choice', label: 'Length of the key, bits', options: [2048, 3072, 4096], preset: 2048 },
  renewBeforeDays: {
    is: 'number',
    label: 'Reissue when fewer days are left',
    hint: 'Empty: existing files are an error',
    min: 0,
    max: 3_650,
  },
  replace: check('Replace existing files, whatever their age'),
  export: check('Store the private keys sealed in the gateway'),
};

const configure: FieldsOf<Schemas['ConfigureJobSpec']> = {
  changes: { is: 'changes', label: 'Changes', isRequired: true },
  dryRun: check('Only report the difference; change nothing'),
  acceptRisk: check('Allow a change that can cut the connection to the device'),
};

const credentials: FieldsOf<Schemas['CredentialsJobSpec']> = {
  account: {
    is: 'choice',
    label: 'Account with which it signs in',
    preset: 'main',
    options: [
      ['main', 'The main account'],
      ['read', 'The account for reads'],
    ],
  },
  sealedValue: { ...PASSWORD, label: 'New password' },
};

const firmware: FieldsOf<Schemas['FirmwareJobSpec']> = {
  source: { is: 'firmware', label: 'Firmware' },
  artifactId: { is: 'with-another', label: 'Image' },
  sha256: DIGEST,
  version: { is: 'text', label: 'Only this version', hint: 'Empty: the newest that it offers', when: isFromVendor },
  backupMaxAgeHours: {
    is: 'number',
    label: 'Backup not older than (hours)',
    min: 1,
    max: 8_760,
    preset: 24,
    when: isRequiringBackup,
  },
  minimumSignalDbm: {
    is: 'number',
    label: 'Weakest signal, dBm',
    hint: 'Of mobile devices; “any”: no limit',
    min: -140,
    max: 0,
    preset: -115,
    none: 'any',
  },
  keepSettings: {
    ...checkedFirst('Keep the settings of the device'),
    warns: 'The router loses its settings, and perhaps the way to it: it may not answer the gateway afterwards.',
  },
  allowDowngrade: check('Allow an older version'),
  backup: {
    is: 'check',
    label: 'Do not require a backup',
    on: 'skip',
    preset: 'required',
  },
  requireSignature: { ...check('Only an image with our signature'), when: isStored },
  allowUnauthorized: { ...check('Allow an image without the vendor’s signature'), when: isStored },
};

const move: FieldsOf<Schemas['MoveJobSpec']> = {
  to: {
    is: 'text',
    label: 'New address',
    hint: 'Where the device answers, too, such as in its tunnel.',
    example: 'https://198.51.100.7',
    isRequired: true,
  },
  keepOld: checkedFirst('Keep the old address as the spare one'),
};

const reconcile: FieldsOf<Schemas['ReconcileJobSpec']> = {
  template: {
    is: 'text',
    label: 'Template',
    from: 'templates',
    hint: 'The name of a published template.',
    example: 'base',
    isRequired: true,
  },
  acceptRisk: check('Allow changes that can cut the connection'),
};

const restore: FieldsOf<Schemas['RestoreJobSpec']> = {
  artifactId: { is: 'artifact', kinds: ['backup'], label: 'Backup', isRequired: true },
  sha256: DIGEST,
  allowOther: check('Allow the backup of another device'),
  follow: checkedFirst('Follow the device to the address of the backup'),
  sealedPassword: {
    is: 'sealed',
    label: 'Passphrase of the backup',
    secret: 'passphrase',
    none: 'It has none, or its policy knows it',
  },
};

const upload: FieldsOf<Schemas['UploadJobSpec']> = {
  artifactId: {
    is: 'artifact',
    kinds: ['certificate', 'configuration', 'file'],
    label: 'Stored file',
    isRequired: true,
  },
  sha256: DIGEST,
  path: {
    is: 'text',
    label: 'Goes to',
    hint: 'The upload of a service on the device, such as /api/certificates/root_ca/config.',
    example: '/api/certificates/root_ca/config',
    isRequired: true,
  },
  fileName: {
    is: 'text',
    label: 'Name on the device',
    pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$',
    hint: 'Letters, digits, . _ and -; at most 64. Empty: its own name.',
  },
  into: {
    is: 'group',
    label: 'Use it in a section',
    hint: 'Empty: the file is only stored',
    of: {
      path: { is: 'text', label: 'Section', hint: 'Such as /api/openvpn/config/office.', isRequired: true },
      option: {
        is: 'text',
        label: 'Option',
        pattern: '^[\\w.-]{1,64}$',
        hint: 'Its option for the file, such as ca.',
        isRequired: true,
      },
    } satisfies FieldsOf<NonNullable<Schemas['UploadJobSpec']['into']>>,
  },
  fields: { is: 'pairs', of: 'texts', label: 'More fields of the upload' },
};

const FIELDS = {
  backup,
  call,
  certificates,
  configure,
  credentials,
  firmware,
  move,
  reboot: {},
  reconcile,
  restore,
  upload,
  users,
};

export type JobKind = keyof typeof FIELDS;

/** The fields of a kind. */
export const fieldsOf = (kind: JobKind): Fields => FIELDS[kind];

export const isJobKind = (text: string | undefined): text is JobKind =>
  text !== undefined && Object.hasOwn(FIELDS, text);
