import { type CommandSpec } from '../operations/api-command.js';
import { rolesInWords } from './shown.js';

/* People, programs, their roles and keys, and what stops them. */

export const OPERATORS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'auth_listOperators',
    shown: rolesInWords,
    columns: 'name roles disabledAt hasPassword hasSecondFactor createdAt id',
    examples: ['fleetgate operator list'],
  },
  {
    words: 'show <operator>',
    operation: 'accounts_get',
    examples: ['fleetgate operator show ada'],
  },
  { words: 'add <name>', operation: 'auth_createOperator', examples: ['fleetgate operator add ada --role operator'] },
  {
    words: 'edit <operator>',
    operation: 'accounts_update',
    examples: ['fleetgate operator edit ada --disabled'],
  },
  {
    words: 'invite <operator>',
    operation: 'accounts_invite',
    examples: ['fleetgate operator invite ada'],
  },
  {
    words: 'reset-second-factor <operator>',
    operation: 'accounts_resetSecondFactor',
    consent: 0,
    examples: ['fleetgate operator reset-second-factor ada'],
  },
  {
    words: 'roles <operator>',
    operation: 'roles_assignments',
    examples: ['fleetgate operator roles ada'],
  },
  {
    words: 'assign <operator>',
    operation: 'roles_assign',
    examples: ['fleetgate operator assign ada -f roles.yaml'],
  },
];

export const ROLES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'roles_list',
    columns: 'name builtIn description updatedAt',
    examples: ['fleetgate role list'],
  },
  { words: 'show <name>', operation: 'roles_get', examples: ['fleetgate role show operator -o yaml'] },
  { words: 'save <name>', operation: 'roles_save', examples: ['fleetgate role save night-shift -f night-shift.yaml'] },
  { words: 'remove <name>', operation: 'roles_remove', consent: 0, examples: ['fleetgate role remove night-shift'] },
];

const KEY_COLUMNS = 'prefix createdAt expiresAt lastUsedAt revokedAt id';

export const KEYS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'keys_list',
    columns: `name operatorId ${KEY_COLUMNS}`,
    examples: ['fleetgate key list'],
  },
  {
    words: 'issue <name>',
    operation: 'keys_issue',
    examples: ['fleetgate key issue inventory --operator-id ada'],
  },
  {
    words: 'rotate <key>',
    operation: 'keys_rotate',
    examples: ['fleetgate key rotate inventory'],
  },
  {
    words: 'revoke <key>',
    operation: 'keys_revoke',
    consent: 'yes',
    examples: ['fleetgate key revoke inventory --yes'],
  },
  {
    words: 'list-own',
    operation: 'keys_listOwn',
    columns: `name ${KEY_COLUMNS}`,
    examples: ['fleetgate key list-own'],
  },
  {
    words: 'issue-own <name>',
    operation: 'keys_issueOwn',
    examples: ['fleetgate key issue-own laptop --expires-at 2027-01-01T00:00:00Z'],
  },
  {
    words: 'rotate-own <key>',
    operation: 'keys_rotateOwn',
    examples: ['fleetgate key rotate-own inventory'],
  },
  {
    words: 'revoke-own <key>',
    operation: 'keys_revokeOwn',
    consent: 'yes',
    examples: ['fleetgate key revoke-own inventory --yes'],
  },
];

const SESSION_COLUMNS = 'operatorName way madeAt lastSeenAt lastSeenAddress endsAt id';

export const SESSIONS: readonly CommandSpec[] = [
  { words: 'list', operation: 'signin_list', columns: SESSION_COLUMNS, examples: ['fleetgate session list'] },
  {
    words: 'end <session>',
    operation: 'signin_revoke',
    consent: 'yes',
    examples: ['fleetgate session end 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --yes'],
  },
];

export const LOCKS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'locks_list',
    columns: 'kind target reason createdByName createdAt endsAt id',
    examples: ['fleetgate lock list'],
  },
  {
    words: 'set <kind> [target]',
    operation: 'locks_lock',
    consent: 'yes',
    examples: [
      'fleetgate lock set device pump-1 --reason "maintenance"',
      'fleetgate lock set selector tag:pump --reason "storm"',
      'fleetgate lock set writes --reason "audit of the year" --yes',
    ],
  },
  {
    words: 'lift <lock>',
    operation: 'locks_lift',
    consent: 'yes',
    examples: ['fleetgate lock lift 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --yes'],
  },
];

export const APPROVALS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'approvals_list',
    columns: 'action state devices requestedByName requestedAt expiresAt id',
    examples: ['fleetgate approval list'],
  },
  {
    words: 'show <approval>',
    operation: 'approvals_get',
    examples: ['fleetgate approval show 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
  },
  {
    words: 'approve <approval>',
    operation: 'approvals_approve',
    consent: 'yes',
    examples: ['fleetgate approval approve 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
  },
  {
    words: 'reject <approval>',
    operation: 'approvals_reject',
    consent: 'yes',
    examples: ['fleetgate approval reject 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
  },
];

export const SEALED_VALUES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'sealedvalues_list',
    columns: 'label deviceId createdByName createdAt expiresAt id',
    examples: ['fleetgate sealed-value list'],
  },
  {
    words: 'give',
    operation: 'sealedvalues_give',
    secret: 'value',
    examples: ['fleetgate sealed-value give --label wifi --value-file wifi.txt'],
  },
  {
    words: 'open <value>',
    operation: 'sealedvalues_open',
    consent: 'yes',
    examples: ['fleetgate sealed-value open 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --yes'],
  },
  {
    words: 'remove <value>',
    operation: 'sealedvalues_remove',
    consent: 'yes',
    examples: ['fleetgate sealed-value remove 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --yes'],
  },
];
