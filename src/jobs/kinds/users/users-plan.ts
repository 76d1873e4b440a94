import { z } from 'zod';
import { ACL_ACTIONS, type Group, type User } from '../../../device-api/contract.js';
import { type Failure } from '../../rows/job-state.js';
import { canonical } from '../../kind-api/intended-items.js';

/* The intended accounts and groups of a device, and the changes to reach them. Pure. */

/** Above the limits of any device. */
const MAX_EACH = 32;

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, 'a name of letters, digits, _ and -');
const state = z.enum(['present', 'absent']).default('present');

const account = z.strictObject({
  username: name.refine((given) => given !== 'root', 'root cannot be changed through the API of a device'),
  state,
  group: name.optional().describe('Absent: unchanged; a new account gets the group `user`'),
  sealedValue: z
    .uuid()
    .optional()
    .describe('Id of a sealed value with the password. Absent: the gateway generates one'),
  renewPassword: z.boolean().default(false).describe('Whether an existing account gets a new password'),
});

const access = {
  api: z
    .record(z.string().max(200), z.array(z.enum(ACL_ACTIONS)))
    .optional()
    .describe('Patterns of paths'),
  read: z.array(z.string().max(64)).optional().describe('Names of permissions, for devices that have them'),
  write: z.array(z.string().max(64)).optional(),
  target_read: z.enum(['allow', 'deny']).optional(),
  target_write: z.enum(['allow', 'deny']).optional(),
};
const group = z.strictObject({
  id: name.refine((given) => given !== 'root', 'the group root may do everything, and cannot be changed'),
  state,
  ...access,
});

export const usersSpec = z
  .strictObject({
    accounts: z
      .array(account)
      .max(MAX_EACH)
      .default([])
      .meta({ examples: [[{ username: 'ada', group: 'admin' }]] }),
    groups: z.array(group).max(MAX_EACH).default([]),
  })
  .superRefine(({ accounts, groups }, context) => {
    const seen = { accounts: accounts.map(({ username }) => username), groups: groups.map(({ id }) => id) };
    for (const [list, names] of Object.entries(seen)) {
      for (const [index, one] of names.entries()) {
        if (names.indexOf(one) === index) continue;
        context.addIssue({ code: 'custom', path: [list, index], message: `${one} appears twice` });
      }
    }
    if (accounts.length + groups.length === 0) {
      context.addIssue({ code: 'custom', path: [], message: 'it must name an account or a group' });
    }
  });
export type UsersSpec = z.output<typeof usersSpec>;

const ACCESS = Object.keys(access) as (keyof typeof access)[];

export interface DeviceUsers {
  readonly users: readonly User[];
  readonly groups: readonly Group[];
}

/** One write. `key` is the same for the same change, however often it is found. */
export const changeOf = z.object({
  is: z.enum(['create', 'change', 'remove']),
  of: z.enum(['account', 'group']),
  name: z.string(),
  /** The id on the device; null before it has one. */
  id: z.string().nullable(),
  /** Fields to send, without a password. */
  fields: z.record(z.string(), z.unknown()),
  withPassword: z.boolean(),
});
export type Change = z.infer<typeof changeOf>;

export const keyOf = ({ is, of, name: named }: Change) => `${is} ${of} ${named}`;

/**
 * What has to change, in an order that a device can follow: groups before the accounts in them, accounts before the groups
 * that they leave.
 * @param renewed accounts that got their new password from this job
 */
export function planOf(spec: UsersSpec, present: DeviceUsers, renewed: readonly string[]): Change[] {
  return [
    ...spec.groups.filter(isPresent).flatMap((wanted) => changeOfGroup(wanted, present)),
    ...spec.accounts.filter(isPresent).flatMap((wanted) => changeOfAccount(wanted, present, renewed)),
    ...spec.accounts.filter(isAbsent).flatMap(({ username }) => {
      const found = userOf(present, username);
      return found ? [change('remove', 'account', username, found.id)] : [];
    }),
    ...spec.groups
      .filter(isAbsent)
      .flatMap(({ id }) => (groupOf(present, id) ? [change('remove', 'group', id, id)] : [])),
  ];
}

/**
 * Why a job must not start: it would remove or weaken an account that the gateway itself uses.
 * @param own names of the gateway's accounts on the device
 */
export function refusalOf(spec: UsersSpec, own: readonly string[]): Failure | null {
  const touched = spec.accounts.filter(
    (wanted) => own.includes(wanted.username) && (isAbsent(wanted) || wanted.renewPassword || wanted.sealedValue),
  );
  return touched.length === 0 ? null : ownAccount(touched.map(({ username }) => `account ${username}`));
}

/** The same for data that only the device has: the groups of the gateway's accounts. */
export function refusalOfPlan(plan: readonly Change[], present: DeviceUsers, own: readonly string[]): Failure | null {
  const ownGroups = present.users.filter(({ username }) => own.includes(username)).map((user) => user.group);
  const touched = plan.filter(
    (one) => one.is !== 'create' && (one.of === 'account' ? own : ownGroups).includes(one.name),
  );
  return touched.length === 0 ? null : ownAccount(touched.map(keyOf));
}

/** Whether a change is visible on the device. A password is not. */
export function isSeen(one: Change, present: DeviceUsers): boolean {
  const found = one.of === 'account' ? userOf(present, one.name) : groupOf(present, one.name);
  if (one.is === 'remove') return !found;
  return found !== undefined && Object.entries(one.fields).every(([field, value]) => isEqual(value, found[field]));
}

function changeOfGroup(wanted: UsersSpec['groups'][number], present: DeviceUsers): Change[] {
  const found = groupOf(present, wanted.id);
  const given = ACCESS.filter((field) => wanted[field] !== undefined);
  const differs = given.filter((field) => !found || !isEqual(wanted[field], found[field]));
  if (found && differs.length === 0) return [];
  const fields = Object.fromEntries(differs.map((field) => [field, wanted[field]]));
  return [change(found ? 'change' : 'create', 'group', wanted.id, found ? wanted.id : null, fields)];
}

function changeOfAccount(
  { username, group: wanted, renewPassword }: UsersSpec['accounts'][number],
  present: DeviceUsers,
  renewed: readonly string[],
): Change[] {
  const found = userOf(present, username);
  if (!found) return [change('create', 'account', username, null, { group: wanted ?? 'user' }, true)];
  const isNewGroup = wanted !== undefined && wanted !== found.group;
  const withPassword = renewPassword && !renewed.includes(username);
  if (!isNewGroup && !withPassword) return [];
  return [change('change', 'account', username, found.id, isNewGroup ? { group: wanted } : {}, withPassword)];
}

function change(
  is: Change['is'],
  of: Change['of'],
  named: string,
  id: string | null,
  fields: Change['fields'] = {},
  withPassword = false,
): Change {
  return { is, of, name: named, id, fields, withPassword };
}

function ownAccount(touched: readonly string[]): Failure {
  return {
    code: 'own_account',
    message: 'The gateway itself uses this account: use the kind `credentials` for its password',
    facts: { touched },
  };
}

const isPresent = (one: { readonly state: 'present' | 'absent' }) => one.state === 'present';
const isAbsent = (one: { readonly state: 'present' | 'absent' }) => one.state === 'absent';
const userOf = ({ users }: DeviceUsers, username: string) => users.find((user) => user.username === username);
const groupOf = ({ groups }: DeviceUsers, id: string) => groups.find((found) => found.id === id);

/** Lists of permissions are sets: their order means nothing. */
function isEqual(a: unknown, b: unknown): boolean {
  return canonical(asSet(a)) === canonical(asSet(b));
}

function asSet(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : [...new Set(value as string[])].sort();
  if (value === null || typeof value !== 'object') return value ?? null;
  const entries = Object.entries(value).map(([field, inner]) => [field, asSet(inner)]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
