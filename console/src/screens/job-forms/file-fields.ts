import { type components } from '../../../../src/api-client/api-client.js';
import { check, checkedFirst, type FieldsOf } from './account-fields.js';
import { type Field, type Spec } from './fields.js';

/* The fields of the jobs that bring a stored file to a device. */

type Schemas = components['schemas'];

/** Set where a stored file is chosen: the digest of exactly this file. */
const DIGEST: Field = { is: 'with-another', label: 'Digest' };

const isFromVendor = ({ source }: Spec) => source === 'vendor';
const isStored = (spec: Spec) => !isFromVendor(spec);
const isRequiringBackup = ({ backup }: Spec) => backup !== 'skip';

export const firmware: FieldsOf<Schemas['FirmwareJobSpec']> = {
  source: { is: 'firmware', label: 'Firmware' },
  artifactId: { is: 'with-another', label: 'Image' },
  sha256: DIGEST,
  version: {
    is: 'text',
    label: 'Only this version',
    hint: 'Empty: the newest that it offers',
    isRare: true,
    when: isFromVendor,
  },
  backupMaxAgeHours: {
    is: 'number',
    label: 'Backup not older than (hours)',
    min: 1,
    max: 8_760,
    preset: 24,
    isRare: true,
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
    isRare: true,
  },
  keepSettings: {
    ...checkedFirst('Keep the settings of the device'),
    isRare: true,
    warns: 'The router loses its settings, and perhaps the way to it: it may not answer the gateway afterwards.',
  },
  allowDowngrade: { ...check('Allow an older version'), isRare: true },
  backup: {
    is: 'check',
    label: 'Do not require a backup',
    on: 'skip',
    preset: 'required',
    isRare: true,
  },
  requireSignature: { ...check('Only an image with our signature'), isRare: true, when: isStored },
  allowUnauthorized: {
    ...check('Allow an image without the vendor’s signature'),
    isRare: true,
    when: isStored,
  },
};

export const restore: FieldsOf<Schemas['RestoreJobSpec']> = {
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

export const upload: FieldsOf<Schemas['UploadJobSpec']> = {
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
    from: 'uploads',
    hint: 'What takes files on the device. Type a word of it, such as certificate, and choose.',
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
      path: {
        is: 'text',
        label: 'Section',
        from: 'sections',
        hint: 'Its settings on the device.',
        example: '/api/openvpn/config/office',
        isRequired: true,
      },
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
