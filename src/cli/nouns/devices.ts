import { EXAMPLE_ID, type CommandSpec, type CommandSpecs } from '../operations/api-command.js';
import { ansibleInventory } from '../output/ansible-inventory.js';
import { explainTables, stateWithReason, summaryTables } from './shown.js';

/** Says that no call can reach a device without credentials. */
const missingLogin: CommandSpec['note'] = ({ id, name, credentials }) =>
  credentials === null
    ? `No credentials are stored for ${String(name)}; a new address or new hardware removes them.\n` +
      'Calls and jobs fail until you give them with\n' +
      `  fleetgate device credentials id:${String(id)} --username <name>`
    : null;

export const DEVICES: CommandSpecs = {
  list: {
    operation: 'devices_list',
    columns: 'name state model firmware site tags seenAt',
    shown: stateWithReason,
    onRequest: ['sample', 'sampling', 'loginsToday', 'certificate'],
    examples: [
      '',
      "-l 'tag:pump & firmware<7.14' -o wide",
      '-l credentials:none',
      '--q pump --sort=-seenAt --limit 20',
      '-o ndjson --fields name,serial,firmware > devices.ndjson',
      '-o ansible -l tag:pump',
    ],
    document: { format: 'ansible', of: ansibleInventory },
  },
  summary: {
    operation: 'devices_summary',
    shown: summaryTables,
    examples: ['--by state,model', '-l site:vilnius/* --by firmware'],
  },
  targets: { operation: 'targets_list', examples: ['-l tag:pump --port 161 --label model'] },
  availability: { operation: 'devices_availability', examples: ['', '--hours 168 -o json'] },
  'show <device>': { operation: 'devices_get', note: missingLogin, examples: ['pump-1', 'serial:1112223334 -o yaml'] },
  'add <name>': {
    operation: 'devices_register',
    note: missingLogin,
    alias: {
      username: 'credentials.username',
      password: 'credentials.password',
    },
    examples: [
      'pump-1 --base-url https://192.0.2.7 --tags pump,north --username admin --password-file pw.txt',
      '--no-input pump-2 -f pump-2.yaml',
    ],
  },
  'edit <device>': {
    operation: 'devices_change',
    note: missingLogin,
    alias: { rename: 'name' },
    examples: ['pump-1 --rename pump-01 --site vilnius/plant-3', 'pump-1 --set fields.contract=A-17'],
  },
  'remove <device>': { operation: 'devices_remove', consent: 0, examples: ['pump-1', 'pump-1 --confirm pump-1'] },
  'remove-all': {
    operation: 'fleet_remove',
    bulk: 'device.manage',
    examples: ["-l 'tag:retired'", "-l 'tag:retired' --dry-run"],
  },
  tag: {
    operation: 'fleet_changeTags',
    bulk: 'device.manage',
    examples: ["-l 'site:vilnius/*' --add north --remove south"],
  },
  'replace <device>': {
    operation: 'devices_replace',
    consent: 0,
    note: missingLogin,
    asks: { username: 'The user name on the new hardware (empty: store no login yet)' },
    alias: {
      username: 'credentials.username',
      password: 'credentials.password',
    },
    examples: ['pump-1 --serial 1112223399 --username admin --password-file pw.txt --reason "RMA 4711"'],
  },
  'history <device>': { operation: 'devices_history', columns: 'at field before after reason' },
  'sample <device>': { operation: 'samples_read' },
  'check <device>': { operation: 'devicechecks_run', examples: ['pump-1'] },
  'reachability <device>': { operation: 'devicechecks_read', examples: ['pump-1'] },
  'session <device>': { operation: 'sessions_get' },
  'reset <device>': { operation: 'sessions_reset' },
  'credentials <device>': {
    operation: 'devices_setCredentials',
    examples: ['pump-1 --username admin', 'pump-1 --username admin --password-file pw.txt'],
  },
  'read-credentials <device>': {
    operation: 'devices_setReadCredentials',
    examples: ['pump-1 --username reader --password-file pw.txt'],
  },
  'remove-read-credentials <device>': {
    operation: 'devices_removeReadCredentials',
    consent: 'yes',
    examples: ['pump-1'],
  },
  'trust <device>': {
    operation: 'devices_setTrust',
    consent: 0,
    examples: ['pump-1 --mode pin --pin sha256/AAAA…', 'pump-1 -f trust.yaml --confirm pump-1'],
  },
  preview: { operation: 'fleet_preview', examples: ["-l 'tag:pump' --permission job.start"] },
  explain: {
    operation: 'rights_explain',
    shown: explainTables,
    examples: [
      '--device pump-1 --method PUT --path /api/system/config',
      '--operator Ada --with-role operator --with-selector tag:pump --device pump-1 --action job.start',
    ],
  },
};

export const FIELDS: CommandSpecs = {
  list: { operation: 'fields_list', columns: 'key type description' },
  'show <key>': { operation: 'fields_get', examples: ['contract'] },
  'save <key>': {
    operation: 'fields_define',
    examples: ['contract --type text --description "Number of the contract"'],
  },
  'remove <key>': { operation: 'fields_remove', consent: 0, examples: ['contract'] },
};

export const SELECTORS: CommandSpecs = {
  list: { operation: 'savedselectors_list', columns: 'name selector description updatedAt' },
  'show <name>': { operation: 'savedselectors_get', examples: ['pumps'] },
  'save <name>': { operation: 'savedselectors_save', examples: ["pumps -l 'tag:pump'"] },
  'remove <name>': { operation: 'savedselectors_remove', consent: 0, examples: ['pumps'] },
};

export const IMPORTS: CommandSpecs = {
  'show <import>': { operation: 'imports_get' },
  'cancel <import>': { operation: 'imports_cancel', consent: 'yes' },
};

export const DISCOVERY: CommandSpecs = {
  start: {
    operation: 'discovery_start',
    consent: 'yes',
    examples: ['--networks 192.0.2.0/24', '-f search.yaml --yes'],
  },
  list: { operation: 'discovery_list', columns: 'state networks createdAt endedAt id' },
  'show <search>': { operation: 'discovery_get' },
  'found <search>': { operation: 'discovery_found', columns: 'kind address port model serial known login id' },
  'cancel <search>': { operation: 'discovery_cancel', consent: 'yes' },
  'accept <search>': {
    operation: 'discovery_accept',
    consent: 'yes',
    examples: [`${EXAMPLE_ID} -f chosen.yaml --tags new --yes`],
  },
};
