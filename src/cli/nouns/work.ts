import { type CommandSpec } from '../operations/api-command.js';
import { type Row } from '../output/cells.js';
import { contentsTables, diffTables, reasonInWords, wavesByNumber } from './shown.js';

/* Jobs, rollouts, schedules, backups, files and certificates: what the gateway does by itself over time. */

const ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';
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

export const JOBS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'jobs_list',
    columns: JOB_COLUMNS,
    examples: ['fleetgate job list', 'fleetgate job list --device pump-1 --phase ended'],
  },
  { words: 'show <job>', operation: 'jobs_get', examples: [`fleetgate job show ${ID} -o yaml`] },
  { words: 'cancel <job>', operation: 'jobs_cancel', consent: 'yes', examples: [`fleetgate job cancel ${ID}`] },
];

export const BACKUPS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'artifacts_list',
    query: { kind: 'backup' },
    columns: 'name bytes deviceId jobId createdAt id',
    examples: ['fleetgate backup list', 'fleetgate backup list --device pump-1 --limit 5'],
  },
  { words: 'show <backup>', operation: 'artifacts_get', examples: [`fleetgate backup show ${ID}`] },
  {
    words: 'coverage',
    operation: 'backups_coverage',
    columns: 'name state at lastFailure artifactId',
    note: coverageCounts,
    examples: ['fleetgate backup coverage'],
  },
  {
    words: 'diff',
    operation: 'backups_diff',
    shown: diffTables,
    examples: ['fleetgate backup diff --a pump-1 --b pump-2'],
  },
  {
    words: 'contents <backup>',
    operation: 'backups_contents',
    shown: contentsTables,
    examples: ['fleetgate backup contents pump-1'],
  },
];

export const BACKUP_POLICIES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'backups_list',
    columns: 'name enabled selector nextRunAt lastRunAt lastError id',
    examples: ['fleetgate backup-policy list'],
  },
  { words: 'show <policy>', operation: 'backups_get', examples: ['fleetgate backup-policy show nightly'] },
  {
    words: 'add <name>',
    operation: 'backups_create',
    alias: RHYTHM,
    examples: [
      "fleetgate backup-policy add nightly -l tag:pump --cron '30 2 * * *' --time-zone Europe/Vilnius",
      'fleetgate backup-policy add nightly -f nightly.yaml',
    ],
  },
  {
    words: 'replace <policy>',
    operation: 'backups_replace',
    alias: RHYTHM,
    examples: ['fleetgate backup-policy replace nightly -f nightly.yaml'],
  },
  {
    words: 'remove <policy>',
    operation: 'backups_remove',
    consent: 'yes',
    examples: ['fleetgate backup-policy remove nightly --yes'],
  },
];

export const FIRMWARE: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'artifacts_list',
    query: { kind: 'firmware' },
    columns: 'name version models bytes signedBy createdAt id',
    examples: ['fleetgate firmware list'],
  },
];

export const ARTIFACTS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'artifacts_list',
    columns: 'name kind version bytes signedBy createdByName createdAt id',
    examples: ['fleetgate artifact list --kind backup'],
  },
  { words: 'show <artifact>', operation: 'artifacts_get', examples: [`fleetgate artifact show ${ID}`] },
  {
    words: 'download <artifact>',
    operation: 'artifacts_content',
    examples: [`fleetgate artifact download ${ID} > pump-1.tar.gz`],
  },
  { words: 'usage', operation: 'artifacts_usage', examples: ['fleetgate artifact usage'] },
  {
    words: 'remove <artifact>',
    operation: 'artifacts_delete',
    consent: 'yes',
    examples: [`fleetgate artifact remove ${ID} --yes`],
  },
];

export const CERTIFICATES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'certificates_list',
    columns: 'deviceName file type subject notAfter',
    examples: ['fleetgate certificate list'],
  },
];

export const ROLLOUTS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'rollouts_list',
    columns: 'name state kind total createdByName createdAt endedAt id',
    examples: ['fleetgate rollout list'],
  },
  {
    words: 'show <rollout>',
    operation: 'rollouts_get',
    shown: wavesByNumber,
    examples: ['fleetgate rollout show june-firmware'],
  },
  {
    words: 'devices <rollout>',
    operation: 'rollouts_targets',
    columns: 'deviceName wave state reason tries jobId endedAt',
    examples: ['fleetgate rollout devices june-firmware --state failed'],
  },
  {
    words: 'report <rollout>',
    operation: 'rollouts_report',
    shown: wavesByNumber,
    examples: ['fleetgate rollout report june-firmware -o yaml'],
  },
  {
    words: 'start <rollout>',
    operation: 'rollouts_start',
    consent: 'yes',
    examples: ['fleetgate rollout start june-firmware --yes'],
  },
  {
    words: 'approve <rollout>',
    operation: 'rollouts_approve',
    consent: 'yes',
    examples: ['fleetgate rollout approve june-firmware --plan-digest …'],
  },
  { words: 'reject <rollout>', operation: 'rollouts_reject', examples: ['fleetgate rollout reject june-firmware'] },
  {
    words: 'pause <rollout>',
    operation: 'rollouts_pause',
    examples: ['fleetgate rollout pause june-firmware --reason "too many failures"'],
  },
  {
    words: 'resume <rollout>',
    operation: 'rollouts_resume',
    note: async (answer, context) => (await import('./rollouts.js')).afterResume(String(answer['id']), context),
    examples: ['fleetgate rollout resume june-firmware'],
  },
  {
    words: 'abort <rollout>',
    operation: 'rollouts_abort',
    consent: 'yes',
    examples: ['fleetgate rollout abort june-firmware --yes'],
  },
  {
    words: 'retry <rollout>',
    operation: 'rollouts_retry',
    examples: ['fleetgate rollout retry june-firmware --states failed'],
  },
  {
    words: 'roll-back <rollout>',
    operation: 'rollouts_rollBack',
    consent: 'yes',
    examples: ['fleetgate rollout roll-back june-firmware --dry-run'],
  },
  {
    words: 'skip <rollout> <device-id>',
    operation: 'rollouts_skip',
    examples: ['fleetgate rollout skip june-firmware pump-1'],
  },
  {
    words: 'promote <rollout> <wave>',
    operation: 'rollouts_promote',
    examples: ['fleetgate rollout promote june-firmware rest'],
  },
];

export const SCHEDULES: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'schedules_list',
    columns: 'name enabled nextRuns lastRunAt lastError id',
    examples: ['fleetgate schedule list'],
  },
  { words: 'show <schedule>', operation: 'schedules_get', examples: ['fleetgate schedule show monthly'] },
  {
    words: 'add <name>',
    operation: 'schedules_create',
    alias: RHYTHM,
    examples: ['fleetgate schedule add monthly -f monthly.yaml'],
  },
  {
    words: 'replace <schedule>',
    operation: 'schedules_replace',
    alias: RHYTHM,
    examples: ['fleetgate schedule replace monthly -f monthly.yaml'],
  },
  {
    words: 'remove <schedule>',
    operation: 'schedules_remove',
    consent: 'yes',
    examples: ['fleetgate schedule remove monthly --yes'],
  },
];

export const FAN_OUTS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'fanouts_list',
    columns: 'state selector startedBy startedAt endedAt devices id',
    examples: ['fleetgate fan-outs list'],
  },
  { words: 'show <fan-out>', operation: 'fanouts_get', examples: [`fleetgate fan-outs show ${ID}`] },
  {
    words: 'devices <fan-out>',
    operation: 'fanouts_devices',
    columns: 'name outcome status reason digest ms',
    shown: reasonInWords,
    examples: [`fleetgate fan-outs devices ${ID} --outcome failed`],
  },
  { words: 'grid <fan-out>', operation: 'fanouts_grid', examples: [`fleetgate fan-outs grid ${ID}`] },
  {
    words: 'answer <fan-out> <digest>',
    operation: 'fanouts_answer',
    examples: [`fleetgate fan-outs answer ${ID} 2c26b46b…`],
  },
  {
    words: 'start',
    operation: 'fanouts_start',
    bulk: ({ request }) => callPermission(request),
    examples: ['fleetgate fan-outs start -f request.yaml --yes'],
  },
  {
    words: 'retry <fan-out>',
    operation: 'fanouts_retry',
    consent: 'yes',
    examples: [`fleetgate fan-outs retry ${ID} --yes`],
  },
  {
    words: 'cancel <fan-out>',
    operation: 'fanouts_cancel',
    consent: 'yes',
    examples: [`fleetgate fan-outs cancel ${ID} --yes`],
  },
];

/** What the call of a fan-out needs. */
function callPermission(request: unknown): string {
  const { method = 'GET' } = (request ?? {}) as { readonly method?: unknown };
  return method === 'GET' ? 'device.call_read' : 'device.call_write';
}
