/* Users, groups and what a group may do: the accounts of one device. Changes count from the next request on. */
import { join } from 'node:path/posix';
import { z } from 'zod';
import { ACL_ACTIONS, type AclAction, type Group, type User } from '../../device-api/contract.js';
import { DeviceRefusal, requireIn } from './exchange.js';
import type { Behaviour } from './profile.js';

export interface Account {
  id: string;
  username: string;
  group: string;
  password: string;
  /** Flag of the wire: whether the user may log in over SSH. */
  sshEnable?: string;
  expired?: boolean;
  mustChangePassword?: boolean;
}

/** A group as stored: `spec` keeps the access control list, `rutos` permission names. */
export type StoredGroup = Group & { '.type': string };

/** The group that may do everything (specification, Authentication 7). */
export const ROOT = 'root';

/** Groups and accounts that a device cannot be without. */
const PERMANENT_GROUPS = ['root', 'admin', 'user'];
const PERMANENT_USERS = ['root', 'admin'];
const MAX_ACCOUNTS = 32;

/** What a new password needs. Devices have it as a setting, with these values from the factory (observed-devices.md 2). */
export const passwordRules = z.strictObject({
  minLength: z.number().int().min(8).max(64).default(8),
  upperAndLower: z.boolean().default(true),
  digits: z.boolean().default(true),
  special: z.boolean().default(true),
});
export type PasswordRules = z.output<typeof passwordRules>;

const isStrong = (password: string, { minLength, upperAndLower, digits, special }: PasswordRules): boolean =>
  password.length >= minLength &&
  (!upperAndLower || (/[a-z]/.test(password) && /[A-Z]/.test(password))) &&
  (!digits || /\d/.test(password)) &&
  (!special || /[^A-Za-z0-9]/.test(password));

const DEFAULT_GROUPS: Readonly<Record<Behaviour['profile'], readonly StoredGroup[]>> = {
  spec: [
    { id: 'root', '.type': 'group', api: { '/api/*': ['read', 'write'] } },
    { id: 'admin', '.type': 'group', api: { '/api/*': ['read', 'write'] } },
    { id: 'user', '.type': 'group', api: { '/api/*': ['read'] } },
  ],
  rutos: [
    { id: 'root', '.type': 'group', read: ['*'], write: ['*'], target_read: 'allow', target_write: 'allow' },
    {
      id: 'admin',
      '.type': 'group',
      read: ['*'],
      write: ['users', 'firmware'],
      target_read: 'allow',
      target_write: 'deny',
    },
    {
      id: 'user',
      '.type': 'group',
      read: ['users', 'backup'],
      write: ['*'],
      target_read: 'deny',
      target_write: 'deny',
    },
  ],
};

const names = z.array(z.string());
const verdict = z.enum(['allow', 'deny']);
const accessOf = z
  .strictObject({
    api: z.record(z.string(), z.array(z.enum(ACL_ACTIONS))),
    read: names,
    write: names,
    target_read: verdict,
    target_write: verdict,
  })
  .partial();

export class SimulatedAccounts {
  private accounts: Account[] = [];
  private groups: StoredGroup[] = [];
  private made = 0;

  constructor(
    private readonly behaviour: Behaviour,
    adminPassword: string,
    private readonly rules: PasswordRules = passwordRules.parse({}),
  ) {
    this.reset(adminPassword);
  }

  /** Factory state: `admin` and `root`, both of the group `root`, with one password. */
  reset(adminPassword: string): void {
    this.accounts = ['root', 'admin'].map((username) => ({
      id: username,
      username,
      group: ROOT,
      password: adminPassword,
    }));
    this.groups = DEFAULT_GROUPS[this.behaviour.profile].map((group) => structuredClone(group));
  }

  /** For a backup and the state directory. */
  export(): { accounts: Account[]; groups: StoredGroup[] } {
    return structuredClone({ accounts: this.accounts, groups: this.groups });
  }

  restore(stored: { accounts: Account[]; groups: StoredGroup[] }): void {
    this.accounts = structuredClone(stored.accounts);
    this.groups = structuredClone(stored.groups);
  }

  find(username: string): Account | undefined {
    return this.accounts.find((account) => account.username === username);
  }

  users(): User[] {
    return this.accounts.map((account) => this.view(account));
  }

  user(id: string): User {
    return this.view(this.account(id));
  }

  addUser(data: Record<string, unknown>): User {
    const username = data['username'];
    if (username === undefined || username === '') throw new DeviceRefusal(110, { source: 'username' });
    if (typeof username !== 'string' || !/^[a-z_][a-z0-9_-]{0,31}$/i.test(username)) {
      throw new DeviceRefusal(103, { source: 'username', value: username });
    }
    if (this.find(username)) throw new DeviceRefusal(109, { source: 'username', value: username });
    if (this.accounts.length >= MAX_ACCOUNTS) throw new DeviceRefusal(106, { source: 'users' });
    const group = this.groupName(data['group'] ?? 'user');
    const password = this.acceptablePassword(data['password']);
    const sshEnable = flagIn(data, 'ssh_enable') ?? '0';
    const id = `cfg${(++this.made).toString(16).padStart(6, '0')}`;
    const account: Account = { id, username, group, password, sshEnable };
    this.accounts.push(account);
    return this.view(account);
  }

  /** Changes password or group. @returns whether the password is another now, which ends sessions */
  changeUser(id: string, data: Record<string, unknown>, actor: string): { user: User; passwordChanged: boolean } {
    const account = this.account(id);
    if (account.username === ROOT)
      throw new DeviceRefusal(113, { source: 'id', section: id, error: 'root cannot be changed' });
    const unknown = Object.keys(data).find((name) => !CHANGEABLE.includes(name));
    if (unknown !== undefined) throw new DeviceRefusal(103, { source: unknown, section: id, value: data[unknown] });
    if (data['username'] !== undefined && data['username'] !== account.username) {
      throw new DeviceRefusal(103, { source: 'username', section: id, value: data['username'] });
    }
    const group = data['group'] === undefined ? account.group : this.groupName(data['group']);
    const password = data['password'] === undefined ? account.password : this.newPassword(account, data, actor);
    const sshEnable = flagIn(data, 'ssh_enable') ?? account.sshEnable;
    const passwordChanged = password !== account.password;
    Object.assign(account, { group, password, sshEnable });
    if (passwordChanged) delete account.expired;
    return { user: this.view(account), passwordChanged };
  }

  removeUser(id: string): void {
    const account = this.account(id);
    if (account.username === ROOT)
      throw new DeviceRefusal(113, { source: 'id', section: id, error: 'root cannot be removed' });
    if (PERMANENT_USERS.includes(account.username)) throw new DeviceRefusal(105, { source: 'id', section: id });
    this.accounts = this.accounts.filter((other) => other !== account);
  }

  /** Sets the password of `admin` and `root` without any rule: what happens behind a gateway's back. */
  overwritePassword(password: string): void {
    for (const account of this.accounts) if (PERMANENT_USERS.includes(account.username)) account.password = password;
  }

  firstPassword(account: Account, data: Record<string, unknown>): void {
    const password = this.acceptablePassword(data['password']);
    if (data['password_confirm'] !== password) throw new DeviceRefusal(103, { source: 'password_confirm' });
    account.password = password;
    delete account.mustChangePassword;
  }

  listGroups(): StoredGroup[] {
    return structuredClone(this.groups);
  }

  group(id: string): StoredGroup {
    return requireIn(this.groups, 'id', id);
  }

  addGroup(data: Record<string, unknown>): StoredGroup {
    const id = data['id'];
    if (id === undefined || id === '') throw new DeviceRefusal(110, { source: 'id' });
    if (typeof id !== 'string' || !/^[a-z0-9_-]{1,32}$/i.test(id))
      throw new DeviceRefusal(103, { source: 'id', value: id });
    if (this.groups.some((group) => group.id === id)) throw new DeviceRefusal(109, { source: 'id', value: id });
    if (this.groups.length >= MAX_ACCOUNTS) throw new DeviceRefusal(106, { source: 'groups' });
    const group: StoredGroup = { ...this.access(data, id), id, '.type': 'group' };
    this.groups.push(group);
    return structuredClone(group);
  }

  changeGroup(id: string, data: Record<string, unknown>): StoredGroup {
    const group = this.group(id);
    if (id === ROOT) throw new DeviceRefusal(113, { source: 'id', section: id, error: 'root cannot be changed' });
    return structuredClone(Object.assign(group, this.access(data, id)));
  }

  removeGroup(id: string): void {
    this.group(id);
    if (PERMANENT_GROUPS.includes(id)) throw new DeviceRefusal(111, { source: 'id', section: id });
    if (this.accounts.some((account) => account.group === id)) {
      throw new DeviceRefusal(105, { source: 'id', section: id, error: 'The group has users' });
    }
    this.groups = this.groups.filter((group) => group.id !== id);
  }

  /** Specification, Authentication 5 to 7: allowed when an entry matches the path with the needed action. */
  allows(account: Account, action: AclAction, path: string): boolean {
    if (account.group === ROOT) return true;
    const group = this.groups.find(({ id }) => id === account.group);
    if (!group) return false;
    if (group.api) {
      return Object.entries(group.api).some(([pattern, actions]) => actions.includes(action) && covers(pattern, path));
    }
    const names = group[action] ?? [];
    const named = names.includes('*') || names.includes(path.split('/')[2] ?? '');
    // `target` says what the list of names means: those alone are allowed, or those alone are denied.
    const target = group[`target_${action}`] ?? 'allow';
    return target === 'allow' ? named : !named;
  }

  /** The specification knows nothing of SSH. The built-in accounts may use it unless they were told otherwise. */
  private view({ id, username, group, sshEnable = '1' }: Account): User {
    const user = { id, username, '.type': 'login', group };
    return this.behaviour.profile === 'spec' ? user : { ...user, ssh_enable: sshEnable };
  }

  private account(id: string): Account {
    return requireIn(this.accounts, 'id', id);
  }

  private groupName(group: unknown): string {
    if (typeof group !== 'string' || !this.groups.some(({ id }) => id === group)) {
      throw new DeviceRefusal(103, { source: 'group', value: group });
    }
    return group;
  }

  private newPassword(account: Account, data: Record<string, unknown>, actor: string): string {
    const password = this.acceptablePassword(data['password']);
    if (this.behaviour.passwordProof && actor === account.username) {
      if (data['current_password'] !== account.password) throw new DeviceRefusal(103, { source: 'current_password' });
      if (data['password_confirm'] !== password) throw new DeviceRefusal(103, { source: 'password_confirm' });
    }
    return password;
  }

  private acceptablePassword(password: unknown): string {
    if (typeof password !== 'string' || password.length > 128 || !isStrong(password, this.rules)) {
      throw new DeviceRefusal(103, { source: 'password', error: 'The password does not meet the rules' });
    }
    return password;
  }

  /** The access part of a group record; everything else in `data` is refused. */
  private access(data: Record<string, unknown>, section: string): Partial<Group> {
    const { id: _id, '.type': _type, ...given } = data;
    const parsed = accessOf.safeParse(given);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    const source = issue.code === 'unrecognized_keys' ? issue.keys[0]! : String(issue.path[0]);
    throw new DeviceRefusal(103, { source, section, value: given[source] });
  }
}

/** `/api/system/*` covers `/api/system` and all below it; a pattern may leave out `/api`. */
function covers(pattern: string, path: string): boolean {
  const whole = pattern.startsWith('/api') ? pattern : join('/api', pattern);
  if (!whole.endsWith('/*')) return whole === path;
  const prefix = whole.slice(0, -2);
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** What a change of a user may hold; the first three stay as they are. */
const CHANGEABLE = [
  'id',
  '.type',
  'username',
  'group',
  'ssh_enable',
  'password',
  'password_confirm',
  'current_password',
];

/** @throws Refused 103 for what is no flag */
function flagIn(data: Record<string, unknown>, name: string): string | undefined {
  const value = data[name];
  if (value === undefined || value === '0' || value === '1') return value;
  throw new DeviceRefusal(103, { source: name, value });
}
