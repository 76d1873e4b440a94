import { PERMISSION_NAMES, type Role, holds } from './permissions.js';
import { type Rule } from './rights.js';

export const BUILT_IN_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'Read-only: devices, jobs, and answers of devices without their secrets',
  operator: 'Daily work: registers, calls and changes devices, starts jobs, reads results',
  deployer: 'Rollouts: starts and cancels jobs and stores artifacts; calls devices only to read',
  security: 'Security: credentials and trust of devices, locks, approvals, the audit',
  auditor: 'Audit: reads and exports the audit and the rights; does not call devices',
  administrator: 'Everything',
};

export const builtInRules = (role: Role): Rule[] => [
  {
    effect: 'allow',
    permissions: role === 'administrator' ? ['*'] : PERMISSION_NAMES.filter((permission) => holds(role, permission)),
    selector: null,
    devices: null,
  },
];
