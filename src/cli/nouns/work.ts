import { EXAMPLE_ID, type CommandSpecs } from '../operations/api-command.js';
import { type Row } from '../output/cells.js';
import { contentsTables, diffTables, reasonInWords, wavesByNumber } from './shown.js';

/* Jobs, rollouts, schedules, backups, files and certificates: what the gateway does by itself over time. */
/** When something repeats, by flags. */
const RHYTHM = { cron: 'rhythm.cron', timeZone: 'rhythm.timeZone', everySeconds: 'rhythm.everySeconds' };
const JOB_COLUMNS = 'kind phase outcome step waitReason deviceId startedByName createdAt id';

/** Such as `3 devices: 1 without a backup, 2 fresh`. */
function coverageCounts({ counts }: Row): string | null {
  const all = Object.entries((counts ?? {}) as Readonly<Record<string, number>>);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const parts = all
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state === 'none' ? 'without a backup' : state}`);
  return total === 0 ? null : `${total} devices: ${parts.join(', ')}`;
}

/** How a fan-out comes into an empty list. */
const howToStore = ({ items }: Row): string | null =>
  Array.isArray(items) && items.length === 0 ? 'fleetgate fan-out stores its answers with --keep' : null;

export const JOBS: CommandSpecs = {
  list: { operation: 'jobs_list', columns: JOB_COLUMNS, examples: ['', '--device pump-1 --phase ended'] },
  'show <job>': { operation: 'jobs_get', examples: [`${EXAMPLE_ID} -o yaml`] },
  'cancel <job>': { operation: 'jobs_cancel', consent: 'yes', examples: [EXAMPLE_ID] },
};

export const BACKUPS: CommandSpecs = {
  list: {
    operation: 'artifacts_list',
    query: { kind: 'backup' },
    columns: 'name bytes deviceId jobId createdAt id',
    examples: ['', '--device pump-1 --limit 5'],
  },
  'show <backup>': { operation: 'artifacts_get' },
  coverage: { operation: 'backups_coverage', columns: 'name state at lastFailure artifactId', note: coverageCounts },
  diff: { operation: 'backups_diff', shown: diffTables, examples: ['--a pump-1 --b pump-2'] },
  'contents <backup>': { operation: 'backups_contents', shown: contentsTables, examples: ['pump-1'] },
};

export const BACKUP_POLICIES: CommandSpecs = {
  list: { operation: 'backups_list', columns: 'name enabled selector nextRunAt lastRunAt lastError id' },
  'show <policy>': { operation: 'backups_get' },
  'add <name>': {
    operation: 'backups_create',
    alias: RHYTHM,
    examples: ["nightly -l tag:pump --cron '30 2 * * *' --time-zone Europe/Vilnius", 'nightly -f nightly.yaml'],
  },
  'replace <policy>': { operation: 'backups_replace', alias: RHYTHM, examples: ['nightly -f nightly.yaml'] },
  'remove <policy>': { operation: 'backups_remove', consent: 'yes' },
};

export const MONITORING: CommandSpecs = {
  list: {
    operation: 'monitoring_list',
    columns: 'name enabled selector everySeconds devices slowedDevices lastError id',
  },
  'show <policy>': { operation: 'monitoring_get', examples: ['pumps'] },
  'history <device>': {
    operation: 'samples_history',
    examples: ['pump-1 --metric rsrp --from 7d --points 168'],
  },
  problems: { operation: 'figures_problems', examples: [''] },
  figures: { operation: 'figures_figures', examples: [''] },
  sparklines: { operation: 'figures_sparklines', examples: [`--metric rsrp --ids ${EXAMPLE_ID}`] },
  price: { operation: 'monitoring_price', examples: ['-l tag:pump'] },
  'add <name>': { operation: 'monitoring_create', examples: ['pumps -l tag:pump --every-seconds 900 --budget-mb 50'] },
  'replace <policy>': { operation: 'monitoring_replace', examples: ['pumps -f pumps.yaml'] },
  metrics: { operation: 'devicemetrics_read', examples: ['-l tag:pump'] },
  'remove <policy>': { operation: 'monitoring_remove', consent: 'yes', examples: ['pumps --yes'] },
};

export const WATCHES: CommandSpecs = {
  list: {
    operation: 'watches_list',
    columns: 'name enabled selector everySeconds devices unreadDevices lastError id',
  },
  'show <watch>': { operation: 'watches_get', examples: ['accounts'] },
  price: { operation: 'watches_price', examples: ['-l tag:pump --paths /api/users/config'] },
  'add <name>': {
    operation: 'watches_create',
    examples: ['tunnels -l tag:pump --paths /api/wireguard/config --every-seconds 3600'],
  },
  'replace <watch>': { operation: 'watches_replace', examples: ['accounts -f accounts.yaml'] },
  'run <watch>': { operation: 'watches_run', examples: ['accounts -l site:vilnius'] },
  'remove <watch>': { operation: 'watches_remove', consent: 'yes', examples: ['tunnels --yes'] },
};

const DIGEST = 'c5b0e1f6'.repeat(8);

export const OBSERVED: CommandSpecs = {
  groups: { operation: 'observed_groups', examples: ['--path /api/users/config -l tag:pump'] },
  compare: {
    operation: 'observed_comparison',
    examples: [`--path /api/users/config --one ${DIGEST} --other ${DIGEST}`],
  },
  matrix: {
    operation: 'observed_matrix',
    columns: 'device section options readAt changedAt',
    examples: ['--path /api/users/config --options username,group'],
  },
  'show <device>': { operation: 'deviceobserved_observed', examples: ['pump-1 --path /api/users/config --fresh true'] },
  recent: {
    operation: 'observed_changes',
    columns: 'at deviceName path options auditEntryId',
    examples: ['-l tag:pump --since 30d'],
  },
  'changes <device>': {
    operation: 'deviceobserved_changes',
    columns: 'at path options auditEntryId',
    examples: ['pump-1'],
  },
};

export const TEMPLATES: CommandSpecs = {
  list: { operation: 'templates_list', columns: 'name selector publishedNumber orphaned unreadable createdByName id' },
  'show <template>': { operation: 'templates_get' },
  'add <name>': { operation: 'templates_create', examples: ['base -f base.yaml'] },
  'adopt <name>': {
    operation: 'adoptions_adopt',
    examples: ['base -l tag:pump --from site:north --paths /api/system/global --dry-run'],
  },
  'accept <template>': {
    operation: 'adoptions_accept',
    examples: ['base --device name:pump-1 --path /api/system/global --option hostname'],
  },
  'ignored <template>': {
    operation: 'ignored_list',
    columns: 'path key option selector until reason createdByName orphaned unreadable id',
    examples: ['base'],
  },
  'ignore <template>': {
    operation: 'ignored_create',
    examples: ["base -l name:pump-1 --path /api/system/global --option hostname --until 8h --reason 'Works'"],
  },
  'ignore-end <template> <ignored>': { operation: 'ignored_end', consent: 'yes' },
  'replace <template>': { operation: 'templates_replace', examples: ['base -f base.yaml'] },
  'publish <template>': { operation: 'templates_publish', examples: ["base --reason 'the new time server'"] },
  'versions <template>': {
    operation: 'templates_versions',
    columns: 'number publishedAt createdByName reason selector',
  },
  'version <template> <number>': { operation: 'templates_version', examples: ['base 3'] },
  'resume <template>': { operation: 'states_resume', examples: ['base -l name:pump-1'] },
  'rollout <template>': { operation: 'states_rollout', examples: ['base', 'base --states drifted'] },
  'devices <template>': {
    operation: 'states_list',
    columns: 'device state since desired applied observed reason detail',
    examples: ['base --sync drifted'],
  },
  'of <device>': {
    operation: 'states_ofDevice',
    columns: 'template state since desired applied observed reason detail',
    examples: ['pump-1'],
  },
  'remove <template>': { operation: 'templates_remove', consent: 'yes' },
};

export const RULES: CommandSpecs = {
  list: { operation: 'alertrules_list', columns: 'name enabled severity selector forSeconds open lastError id' },
  'show <rule>': { operation: 'alertrules_get' },
  'add <name>': {
    operation: 'alertrules_create',
    examples: ["'weak signal' -l 'rsrp<-110' --for-seconds 1800 --clear-selector 'rsrp>-105'"],
  },
  try: {
    operation: 'ruletrial_try',
    examples: ["-l 'rsrp<-110' --for-seconds 1800 --clear-selector 'rsrp>-105'", '-l state:offline --for-seconds 900'],
  },
  'replace <rule>': { operation: 'alertrules_replace', examples: ["'weak signal' -f weak-signal.yaml"] },
  'remove <rule>': { operation: 'alertrules_remove', consent: 'yes', examples: ["'weak signal' --yes"] },
};

export const ALERTS: CommandSpecs = {
  list: {
    operation: 'alerts_list',
    columns: 'state severity ruleName deviceName openedAt acknowledgedByName id',
    examples: ['', "--severity critical -l 'site:vilnius/*'", '--device pump-1 --state all'],
  },
  'show <alert>': { operation: 'alerts_get' },
  'ack <alert>': { operation: 'alerts_acknowledge', examples: [`${EXAMPLE_ID} --note 'A technician is on the way'`] },
};

export const MUTES: CommandSpecs = {
  list: { operation: 'mutes_list', columns: 'selector ruleId until reason createdByName orphaned unreadable id' },
  add: { operation: 'mutes_create', examples: ["-l site:vilnius --until 8h --reason 'Power works'"] },
  'remove <mute>': { operation: 'mutes_remove', consent: 'yes' },
};

export const FIRMWARE: CommandSpecs = {
  list: {
    operation: 'artifacts_list',
    query: { kind: 'firmware' },
    columns: 'name version models bytes signedBy createdAt id',
  },
};

export const ARTIFACTS: CommandSpecs = {
  list: {
    operation: 'artifacts_list',
    columns: 'name kind version bytes signedBy createdByName createdAt id',
    examples: ['--kind backup'],
  },
  'show <artifact>': { operation: 'artifacts_get' },
  'download <artifact>': { operation: 'artifacts_content', examples: [`${EXAMPLE_ID} > pump-1.tar.gz`] },
  usage: { operation: 'artifacts_usage' },
  'remove <artifact>': { operation: 'artifacts_delete', consent: 'yes' },
};

export const CERTIFICATES: CommandSpecs = {
  list: { operation: 'certificates_list', columns: 'deviceName file type subject notAfter' },
};

export const ROLLOUTS: CommandSpecs = {
  list: { operation: 'rollouts_list', columns: 'name state kind total createdByName createdAt endedAt id' },
  'show <rollout>': { operation: 'rollouts_get', shown: wavesByNumber },
  'devices <rollout>': {
    operation: 'rollouts_targets',
    columns: 'deviceName wave state reason tries jobId endedAt',
    examples: ['june-firmware --state failed'],
  },
  'report <rollout>': { operation: 'rollouts_report', shown: wavesByNumber, examples: ['june-firmware -o yaml'] },
  'start <rollout>': { operation: 'rollouts_start', shown: wavesByNumber, consent: 'yes' },
  'approve <rollout>': {
    operation: 'rollouts_approve',
    shown: wavesByNumber,
    consent: 'yes',
    examples: ['june-firmware --plan-digest …'],
  },
  'reject <rollout>': { operation: 'rollouts_reject', shown: wavesByNumber },
  'pause <rollout>': {
    operation: 'rollouts_pause',
    shown: wavesByNumber,
    examples: ['june-firmware --reason "too many failures"'],
  },
  'resume <rollout>': {
    operation: 'rollouts_resume',
    shown: wavesByNumber,
    note: async (answer, context) => (await import('./rollouts.js')).afterResume(String(answer['id']), context),
  },
  'abort <rollout>': { operation: 'rollouts_abort', shown: wavesByNumber, consent: 'yes' },
  'retry <rollout>': { operation: 'rollouts_retry', shown: wavesByNumber, examples: ['june-firmware --states failed'] },
  'roll-back <rollout>': {
    operation: 'rollouts_rollBack',
    shown: wavesByNumber,
    consent: 'yes',
    examples: ['june-firmware --dry-run'],
  },
  'skip <rollout> <device-id>': { operation: 'rollouts_skip', examples: ['june-firmware pump-1'] },
  'promote <rollout> <wave>': { operation: 'rollouts_promote', shown: wavesByNumber, examples: ['june-firmware rest'] },
};

export const SCHEDULES: CommandSpecs = {
  list: { operation: 'schedules_list', columns: 'name enabled nextRuns lastRunAt lastError id' },
  'show <schedule>': { operation: 'schedules_get' },
  'next-runs <cron>': { operation: 'schedules_nextRuns', examples: ["'30 2 * * 1-5' --time-zone Europe/Vilnius"] },
  'add <name>': { operation: 'schedules_create', alias: RHYTHM, examples: ['monthly -f monthly.yaml'] },
  'replace <schedule>': { operation: 'schedules_replace', alias: RHYTHM, examples: ['monthly -f monthly.yaml'] },
  'remove <schedule>': { operation: 'schedules_remove', consent: 'yes' },
};

export const FAN_OUTS: CommandSpecs = {
  list: {
    operation: 'fanouts_list',
    columns: 'state selector startedBy startedAt endedAt devices id',
    note: howToStore,
  },
  'show <fan-out>': { operation: 'fanouts_get' },
  'devices <fan-out>': {
    operation: 'fanouts_devices',
    columns: 'name outcome status reason digest ms',
    shown: reasonInWords,
    examples: [`${EXAMPLE_ID} --outcome failed`],
  },
  'grid <fan-out>': { operation: 'fanouts_grid' },
  'answer <fan-out> <digest>': { operation: 'fanouts_answer', examples: [`${EXAMPLE_ID} 2c26b46b…`] },
  start: {
    operation: 'fanouts_start',
    bulk: ({ request }) => callPermission(request),
    examples: ['-f request.yaml --yes'],
  },
  'retry <fan-out>': { operation: 'fanouts_retry', consent: 'yes' },
  'cancel <fan-out>': { operation: 'fanouts_cancel', consent: 'yes' },
};

/** What the call of a fan-out needs. */
function callPermission(request: unknown): string {
  const { method = 'GET' } = (request ?? {}) as { readonly method?: unknown };
  return method === 'GET' ? 'device.call_read' : 'device.call_write';
}
