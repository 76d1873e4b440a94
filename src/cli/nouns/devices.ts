import { type CommandSpec } from '../operations/api-command.js';
import { explainTables, stateWithReason, summaryTables } from './shown.js';

/** Says that no call can reach a device without credentials. */
const missingLogin: CommandSpec['note'] = ({ id, name, credentials }) =>
  credentials === null
    ? `No credentials are stored for ${String(name)}: calls and jobs fail until you give them with\n` +
      `  fleetgate device credentials id:${String(id)} --username <name>`
    : null;

export const DEVICES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'devices_list',
    columns: 'name state model firmware site tags seenAt',
    shown: stateWithReason,
    examples: [
      'fleetgate device list',
      "fleetgate device list -l 'tag:pump & firmware<7.14' -o wide",
      'fleetgate device list -l credentials:none',
      'fleetgate device list --q pump --sort=-seenAt --limit 20',
      'fleetgate device list -o ndjson --fields name,serial,firmware > devices.ndjson',
    ],
  },
  {
    words: 'summary',
    operation: 'devices_summary',
    shown: summaryTables,
    examples: ['fleetgate device summary --by state,model', 'fleetgate device summary -l site:vilnius/* --by firmware'],
  },
  {
    words: 'availability',
    operation: 'devices_availability',
    examples: ['fleetgate device availability', 'fleetgate device availability --hours 168 -o json'],
  },
  {
    words: 'show <device>',
    operation: 'devices_get',
    note: missingLogin,
    examples: ['fleetgate device show pump-1', 'fleetgate device show serial:1112223334 -o yaml'],
  },
  {
    words: 'add <name>',
    operation: 'devices_register',
    note: missingLogin,
    alias: {
      username: 'credentials.username',
      password: 'credentials.password',
    },
    examples: [
      'fleetgate device add pump-1 --base-url https://192.0.2.7 --tags pump,north --username admin --password-file pw.txt',
      'fleetgate device add --no-input pump-2 -f pump-2.yaml',
    ],
  },
  {
    words: 'edit <device>',
    operation: 'devices_change',
    note: missingLogin,
    alias: { rename: 'name' },
    examples: [
      'fleetgate device edit pump-1 --rename pump-01 --site vilnius/plant-3',
      'fleetgate device edit pump-1 --set fields.contract=A-17',
    ],
  },
  {
    words: 'remove <device>',
    operation: 'devices_remove',
    consent: 0,
    examples: ['fleetgate device remove pump-1', 'fleetgate device remove pump-1 --confirm pump-1'],
  },
  {
    words: 'remove-all',
    operation: 'fleet_remove',
    bulk: 'device.manage',
    examples: [
      "fleetgate device remove-all -l 'tag:retired'",
      "fleetgate device remove-all -l 'tag:retired' --dry-run",
    ],
  },
  {
    words: 'tag',
    operation: 'fleet_changeTags',
    bulk: 'device.manage',
    examples: ["fleetgate device tag -l 'site:vilnius/*' --add north --remove south"],
  },
  {
    words: 'replace <device>',
    operation: 'devices_replace',
    consent: 0,
    note: missingLogin,
    asks: { username: 'The user name on the new hardware (empty: store no login yet)' },
    alias: {
      username: 'credentials.username',
      password: 'credentials.password',
    },
    examples: [
      'fleetgate device replace pump-1 --serial 1112223399 --username admin --password-file pw.txt --reason "RMA 4711"',
    ],
  },
  {
    words: 'history <device>',
    operation: 'devices_history',
    columns: 'at field before after reason',
    examples: ['fleetgate device history pump-1'],
  },
  { words: 'session <device>', operation: 'sessions_get', examples: ['fleetgate device session pump-1'] },
  { words: 'reset <device>', operation: 'sessions_reset', examples: ['fleetgate device reset pump-1'] },
  {
    words: 'credentials <device>',
    operation: 'devices_setCredentials',
    examples: [
      'fleetgate device credentials pump-1 --username admin',
      'fleetgate device credentials pump-1 --username admin --password-file pw.txt',
    ],
  },
  {
    words: 'read-credentials <device>',
    operation: 'devices_setReadCredentials',
    examples: ['fleetgate device read-credentials pump-1 --username reader --password-file pw.txt'],
  },
  {
    words: 'remove-read-credentials <device>',
    operation: 'devices_removeReadCredentials',
    consent: 'yes',
    examples: ['fleetgate device remove-read-credentials pump-1'],
  },
  {
    words: 'trust <device>',
    operation: 'devices_setTrust',
    consent: 0,
    examples: [
      'fleetgate device trust pump-1 --mode pin --pin sha256/AAAA…',
      'fleetgate device trust pump-1 -f trust.yaml --confirm pump-1',
    ],
  },
  {
    words: 'preview',
    operation: 'fleet_preview',
    examples: ["fleetgate device preview -l 'tag:pump' --permission job.start"],
  },
  {
    words: 'explain',
    operation: 'rights_explain',
    shown: explainTables,
    examples: ['fleetgate device explain --device pump-1 --method PUT --path /api/system/config'],
  },
];

export const FIELDS: readonly CommandSpec[] = [
  { words: 'list', operation: 'fields_list', columns: 'key type description', examples: ['fleetgate field list'] },
  { words: 'show <key>', operation: 'fields_get', examples: ['fleetgate field show contract'] },
  {
    words: 'save <key>',
    operation: 'fields_define',
    examples: ['fleetgate field save contract --type text --description "Number of the contract"'],
  },
  { words: 'remove <key>', operation: 'fields_remove', consent: 0, examples: ['fleetgate field remove contract'] },
];

export const SELECTORS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'savedselectors_list',
    columns: 'name selector description updatedAt',
    examples: ['fleetgate selector list'],
  },
  { words: 'show <name>', operation: 'savedselectors_get', examples: ['fleetgate selector show pumps'] },
  { words: 'save <name>', operation: 'savedselectors_save', examples: ["fleetgate selector save pumps -l 'tag:pump'"] },
  {
    words: 'remove <name>',
    operation: 'savedselectors_remove',
    consent: 0,
    examples: ['fleetgate selector remove pumps'],
  },
];

export const IMPORTS: readonly CommandSpec[] = [
  {
    words: 'show <import>',
    operation: 'imports_get',
    examples: ['fleetgate import show 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
  },
  {
    words: 'cancel <import>',
    operation: 'imports_cancel',
    consent: 'yes',
    examples: ['fleetgate import cancel 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --yes'],
  },
];

const RUN = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';

export const DISCOVERY: readonly CommandSpec[] = [
  {
    words: 'start',
    operation: 'discovery_start',
    consent: 'yes',
    examples: ['fleetgate discover start --networks 192.0.2.0/24', 'fleetgate discover start -f search.yaml --yes'],
  },
  {
    words: 'list',
    operation: 'discovery_list',
    columns: 'state networks createdAt endedAt id',
    examples: ['fleetgate discover list'],
  },
  { words: 'show <search>', operation: 'discovery_get', examples: [`fleetgate discover show ${RUN}`] },
  {
    words: 'found <search>',
    operation: 'discovery_found',
    columns: 'kind address port model serial known login id',
    examples: [`fleetgate discover found ${RUN}`],
  },
  {
    words: 'cancel <search>',
    operation: 'discovery_cancel',
    consent: 'yes',
    examples: [`fleetgate discover cancel ${RUN} --yes`],
  },
  {
    words: 'accept <search>',
    operation: 'discovery_accept',
    consent: 'yes',
    examples: [`fleetgate discover accept ${RUN} -f chosen.yaml --tags new --yes`],
  },
];
