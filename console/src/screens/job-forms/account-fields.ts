import { type components } from '../../../../src/api-client/api-client.js';
import { type Field, type Spec } from './fields.js';

/* The fields of accounts and groups on a device, and what the fields of all kinds have in common. */

type Schemas = components['schemas'];

/** A field for each name of an object. */
export type FieldsOf<Object> = { readonly [Name in keyof Required<Object>]: Field };

/** A box that is empty at first. */
export const check = (label: string, hint?: string): Field => ({
  is: 'check',
  label,
  on: true,
  preset: false,
  ...(hint ? { hint } : {}),
});

/** A box that is set at first. */
export const checkedFirst = (label: string) => ({ is: 'check', label, on: true, preset: true }) satisfies Field;

export const PASSWORD = { is: 'sealed', label: 'Password', secret: 'password', none: 'The gateway makes one' } as const;

const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,31}$';
const NAME_HINT = 'Letters, digits, _ and -; at most 32.';

const STATES = [
  ['present', 'Has to exist'],
  ['absent', 'Is removed'],
] as const;

const isPresent = ({ state }: Spec) => state !== 'absent';

const TARGETS = [
  ['', 'As it is'],
  ['allow', 'Only the named'],
  ['deny', 'All but the named'],
] as const;

export const users: FieldsOf<Schemas['UsersJobSpec']> = {
  accounts: {
    is: 'list',
    label: 'Accounts',
    title: 'Account',
    add: 'Add an account',
    of: {
      username: { is: 'text', label: 'User name', pattern: NAME_PATTERN, hint: NAME_HINT, isRequired: true },
      state: { is: 'choice', label: 'State', options: STATES, preset: 'present' },
      group: {
        is: 'text',
        label: 'Group',
        pattern: NAME_PATTERN,
        hint: 'Empty: as it is; a new account is a “user”.',
        when: isPresent,
      },
      sealedValue: { ...PASSWORD, when: isPresent },
      renewPassword: { ...check('New password, also where it exists'), when: isPresent },
    } satisfies FieldsOf<NonNullable<Schemas['UsersJobSpec']['accounts']>[number]>,
  },
  groups: {
    is: 'list',
    label: 'Groups',
    title: 'Group',
    add: 'Add a group',
    of: {
      id: { is: 'text', label: 'Name of the group', pattern: NAME_PATTERN, hint: NAME_HINT, isRequired: true },
      state: { is: 'choice', label: 'State', options: STATES, preset: 'present' },
      api: { is: 'pairs', of: 'access', label: 'What its accounts may do', when: isPresent },
      read: {
        is: 'words',
        label: 'Rights to read',
        hint: 'Names, with commas; for devices that have them',
        when: isPresent,
      },
      write: { is: 'words', label: 'Rights to write', hint: 'Names, with commas', when: isPresent },
      target_read: { is: 'choice', label: 'Reading is allowed for', options: TARGETS, when: isPresent },
      target_write: { is: 'choice', label: 'Writing is allowed for', options: TARGETS, when: isPresent },
    } satisfies FieldsOf<NonNullable<Schemas['UsersJobSpec']['groups']>[number]>,
  },
};
