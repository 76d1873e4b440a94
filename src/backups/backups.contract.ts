import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { nextRuns, orphaned, quarantinedAt, rhythmView } from '../recurring/recurring-view.js';
import { rhythm } from '../recurring/rhythm.js';

/* Schemas of the routes of backups. */

const count = z.number().int();
const selector = z.string().min(1).max(4_000).describe('docs/reference/selectors.md');

const policyFields = {
  name: z.string().trim().min(1).max(120),
  selector: selector.describe('Which devices; read again at each run'),
  keepCount: z.int().min(1).max(1_000).default(30).describe('Number of newest backups to store for each device'),
  keepDays: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .default(null)
    .describe('Older ones are deleted; the newest stays. null: no limit'),
  onlyChanges: z
    .boolean()
    .default(true)
    .describe('Whether a backup with the same content as the last one only confirms the last one'),
  enabled: z.boolean().default(true),
};

const sealedValue = z
  .uuid()
  .nullable()
  .optional()
  .describe(
    'Id of your sealed value with a passphrase: devices encrypt backups with it, and the policy stores its own copy. ' +
      'null: backups are not encrypted. Absent: as it was',
  );

export const policyInput = z.strictObject({ ...policyFields, sealedValue, rhythm }).meta({ id: 'CreateBackupPolicy' });
export type PolicyInput = z.output<typeof policyInput>;

export const policyView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
    rhythm: rhythmView,
    keepCount: count,
    keepDays: count.nullable(),
    onlyChanges: z.boolean(),
    encrypted: z.boolean().describe('Whether devices encrypt the backups with a passphrase of the policy'),
    enabled: z.boolean(),
    orphaned,
    nextRunAt: instant.nullable(),
    nextRuns,
    lastRunAt: instant.nullable(),
    lastStarted: count
      .nullable()
      .describe('Jobs that the last run started; shown to its author and to callers who see all devices'),
    lastError: z.string().nullable().describe('Why the last run started no job'),
    quarantinedAt,
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'BackupPolicy' });

export const policyList = z.object({ items: z.array(policyView) }).meta({ id: 'BackupPolicyList' });

export const COVERAGE_STATES = ['none', 'failed', 'overdue', 'fresh'] as const;
export type CoverageState = (typeof COVERAGE_STATES)[number];
export const coverageState = z.enum(COVERAGE_STATES);

/** Every night, and two hours for it. */
export const OVERDUE_HOURS = 26;

export const coverageQuery = z.strictObject({
  ...pageQuery.shape,
  selector: selector.default('all'),
  state: coverageState.optional().describe('Only devices in this state; the counts are for all devices'),
  maxAgeHours: z.coerce
    .number()
    .positive()
    .max(87_600)
    .default(OVERDUE_HOURS)
    .describe('A backup older than this is overdue'),
});
export type CoverageQuery = z.output<typeof coverageQuery>;

export const coverageView = z
  .object({
    counts: z.record(coverageState, count),
    ...pageOf(
      z.object({
        deviceId: z.uuid(),
        name: z.string(),
        state: coverageState,
        artifactId: z.uuid().nullable().describe('The newest backup'),
        at: instant.nullable().describe('When the device was last found to have the configuration of the backup'),
        opens: z.boolean().nullable().describe('Whether it was unpacked; null: not checked yet'),
        lastFailure: z.string().nullable().describe('Code of the last job, where that failed'),
      }),
    ).shape,
  })
  .meta({ id: 'BackupCoverage' });

const either = z.string().min(1).max(300);

export const diffQuery = z.strictObject({
  a: either.describe('Id of a backup; or a device, by id, name:…, serial:… or mac:…: its newest backup'),
  b: either.describe('The same'),
});
export type DiffQuery = z.output<typeof diffQuery>;

export const contentsQuery = z.strictObject({ backup: diffQuery.shape.a });
export type ContentsQuery = z.output<typeof contentsQuery>;

const compared = z.object({ id: z.uuid(), deviceId: z.uuid().nullable(), name: z.string(), createdAt: instant });

export const diffView = z
  .object({
    a: compared,
    b: compared,
    same: z.boolean(),
    files: z.array(
      z.object({
        name: z.string(),
        change: z.enum(['added', 'removed', 'changed']).describe('From a to b'),
        lines: z
          .array(z.object({ is: z.enum(['+', '-']), text: z.string() }))
          .nullable()
          .describe('Lines of settings that differ, with fingerprints instead of secrets; null: not shown'),
      }),
    ),
    cut: z.boolean().describe('Whether there are more than shown'),
  })
  .meta({ id: 'BackupDiff' });

export const contentsView = z
  .object({
    ...compared.shape,
    files: z.array(
      z.object({
        name: z.string(),
        bytes: count,
        lines: z
          .array(z.string())
          .nullable()
          .describe('Lines of settings, with fingerprints instead of secrets; null: not shown'),
      }),
    ),
    cut: z.boolean().describe('Whether there are more than shown'),
  })
  .meta({ id: 'BackupContents' });
