import { type components } from '../../../../src/api-client/api-client.js';
import { check, checkedFirst, type FieldsOf, PASSWORD, users } from './account-fields.js';
import { type Fields } from './fields.js';
import { firmware, restore, upload } from './file-fields.js';

/*
 * The fields of each kind of job, in the order of the form, with the words for people. Their names are those of the schemas of
 * the API document: a name too many or too few is an error of types, and a test compares ranges, choices and patterns.
 */

type Schemas = components['schemas'];

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
    isRare: true,
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
