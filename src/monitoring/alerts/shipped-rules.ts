import { type RuleInput } from './alerts.contract.js';

/*
 * The rules of the first start. Those about samples and backups are disabled: without a policy there are none. A person changes and
 * removes them like their own; a removed one does not come back.
 */

const AT_ONCE = { forSeconds: 0, clearAfterSeconds: 0, clearSelector: null, enabled: true };

export const SHIPPED_RULES: readonly RuleInput[] = [
  {
    ...AT_ONCE,
    name: 'Offline for 15 minutes',
    selector: 'state:offline',
    forSeconds: 900,
    severity: 'warning',
    note: 'Does the site have power, and the SIM a network?',
  },
  {
    ...AT_ONCE,
    name: 'Credentials refused',
    selector: 'state:credentials_refused',
    severity: 'warning',
    note: 'The password was changed on the device. Give the gateway the new one.',
  },
  {
    ...AT_ONCE,
    name: 'Certificate changed',
    selector: 'state:trust_changed',
    severity: 'critical',
    note: 'The device was reset or replaced, or another one answers in its place. Find out which before you accept the certificate.',
  },
  {
    ...AT_ONCE,
    name: 'Certificate ends within 30 days',
    selector: 'certificate<30d',
    severity: 'warning',
    note: 'Reissue it before it ends. A schedule of certificate jobs can do so by itself.',
  },
  {
    ...AT_ONCE,
    name: 'Backup overdue',
    selector: 'backup>26h',
    severity: 'info',
    note: 'The policy of its backups runs, or the device was away. A rule for devices without any backup is backup:none.',
    enabled: false,
  },
  {
    name: 'Weak signal for 30 minutes',
    selector: 'rsrp<-110',
    forSeconds: 1_800,
    clearAfterSeconds: 600,
    clearSelector: 'rsrp>-105',
    severity: 'info',
    note: 'Look at the antenna and its cable.',
    enabled: false,
  },
  {
    name: 'Hot',
    selector: 'temperature>70',
    forSeconds: 600,
    clearAfterSeconds: 600,
    clearSelector: 'temperature<65',
    severity: 'warning',
    note: 'The modem is above 70 °C. Look at sun, dust and ventilation.',
    enabled: false,
  },
  {
    ...AT_ONCE,
    name: 'Data plan at 80 percent',
    selector: 'data.plan>80',
    severity: 'warning',
    note: 'The router has used 80 % of the megabytes in its field plan_mb. Its month ends by its own clock.',
    enabled: false,
  },
];
