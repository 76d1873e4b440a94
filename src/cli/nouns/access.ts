import { EXAMPLE_ID, type CommandSpecs } from '../operations/api-command.js';
import { rolesInWords } from './shown.js';

/* People, programs, their roles and keys, and what stops them. */

export const OPERATORS: CommandSpecs = {
  list: {
    operation: 'auth_listOperators',
    shown: rolesInWords,
    columns: 'name roles disabledAt hasPassword hasSecondFactor lastSignInAt id',
  },
  'show <operator>': { operation: 'accounts_get' },
  'add <name>': { operation: 'auth_createOperator', examples: ['ada --role operator'] },
  'edit <operator>': { operation: 'accounts_update', examples: ['ada --disabled'] },
  'invite <operator>': { operation: 'accounts_invite' },
  'reset-second-factor <operator>': { operation: 'accounts_resetSecondFactor', consent: 0 },
  'roles <operator>': { operation: 'roles_assignments' },
  'assign <operator>': { operation: 'roles_assign', examples: ['ada -f roles.yaml'] },
};

export const ROLES: CommandSpecs = {
  list: { operation: 'roles_list', columns: 'name builtIn description updatedAt' },
  'show <name>': { operation: 'roles_get', examples: ['operator -o yaml'] },
  'save <name>': { operation: 'roles_save', examples: ['night-shift -f night-shift.yaml'] },
  'remove <name>': { operation: 'roles_remove', consent: 0, examples: ['night-shift'] },
};

const KEY_COLUMNS = 'prefix createdAt expiresAt lastUsedAt revokedAt id';

export const KEYS: CommandSpecs = {
  list: { operation: 'keys_list', columns: `name operatorId ${KEY_COLUMNS}` },
  'issue <name>': { operation: 'keys_issue', examples: ['inventory --operator-id ada'] },
  'rotate <key>': { operation: 'keys_rotate' },
  'revoke <key>': { operation: 'keys_revoke', consent: 'yes' },
  'list-own': { operation: 'keys_listOwn', columns: `name ${KEY_COLUMNS}` },
  'issue-own <name>': { operation: 'keys_issueOwn', examples: ['laptop --expires-at 90d'] },
  'rotate-own <key>': { operation: 'keys_rotateOwn' },
  'revoke-own <key>': { operation: 'keys_revokeOwn', consent: 'yes' },
};

const SESSION_COLUMNS = 'operatorName way madeAt lastSeenAt lastSeenAddress endsAt id';

export const SESSIONS: CommandSpecs = {
  list: { operation: 'signin_list', columns: SESSION_COLUMNS },
  'end <session>': { operation: 'signin_revoke', consent: 'yes' },
};

export const LOCKS: CommandSpecs = {
  list: { operation: 'locks_list', columns: 'kind target reason createdByName createdAt endsAt id' },
  'set <kind> [target]': {
    operation: 'locks_lock',
    consent: 'yes',
    examples: [
      'device pump-1 --reason "maintenance"',
      'selector tag:pump --reason "storm"',
      'writes --reason "audit of the year" --ends-at 8h --yes',
    ],
  },
  'lift <lock>': { operation: 'locks_lift', consent: 'yes' },
};

export const APPROVALS: CommandSpecs = {
  list: { operation: 'approvals_list', columns: 'action state devices requestedByName requestedAt expiresAt id' },
  'show <approval>': { operation: 'approvals_get' },
  'approve <approval>': { operation: 'approvals_approve', consent: 'yes', examples: [EXAMPLE_ID] },
  'reject <approval>': { operation: 'approvals_reject', consent: 'yes', examples: [EXAMPLE_ID] },
};

export const SEALED_VALUES: CommandSpecs = {
  list: { operation: 'sealedvalues_list', columns: 'label deviceId createdByName createdAt expiresAt id' },
  give: { operation: 'sealedvalues_give', secret: 'value', examples: ['--label wifi --value-file wifi.txt'] },
  'open <value>': { operation: 'sealedvalues_open', consent: 'yes' },
  'remove <value>': { operation: 'sealedvalues_remove', consent: 'yes' },
};
