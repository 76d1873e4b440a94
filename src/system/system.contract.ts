import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { textSuchAs } from '../http/schemas.js';

/* The installation as a whole: its processes, queue, database, audit and warnings. */

const processView = z.object({
  id: z.uuid(),
  role: z.enum(['all', 'api', 'worker']),
  host: textSuchAs('gateway-1'),
  version: textSuchAs('1.0.0'),
  node: textSuchAs('v22.20.0'),
  alive: z.boolean().describe('Whether it wrote that it is alive within 45 seconds; a dead one is listed for a day'),
  startedAt: instant,
  aliveAt: instant,
  checks: z
    .record(z.string(), z.enum(['ok', 'unavailable']))
    .describe('Its readiness checks: database, queue, artifacts')
    .meta({ examples: [{ process: 'ok', database: 'ok', queue: 'ok' }] }),
  sweepers: z
    .array(z.object({ name: textSuchAs('rollouts'), at: instant, outcome: z.enum(['done', 'failed']) }))
    .describe('Its periodic tasks, each with its last pass'),
});

export const systemView = z
  .object({
    version: textSuchAs('1.0.0').describe('Of the process that answers'),
    processes: z.array(processView),
    jobs: z.object({
      due: z.number().int().describe('Jobs that could run now and wait for a worker'),
      oldestDueMs: z.number().int().describe('How long the oldest of them has waited; 0: there is none'),
      running: z.number().int(),
    }),
    traffic: z
      .object({
        perSecond: z.number().describe('Answered requests'),
        p99Ms: z
          .number()
          .nullable()
          .describe('99 of 100 were answered within this time, with the time that devices took; null: there was none'),
      })
      .describe('The last minute of the processes of the machine that answers'),
    database: z.object({ version: textSuchAs('18.4'), embedded: z.boolean() }),
    queue: z.enum(['postgres', 'redis']).describe('Where jobs are queued'),
    audit: z
      .object({ size: z.number().int(), signedAt: instant, ageMs: z.number().int() })
      .nullable()
      .describe('The latest checkpoint of the audit; null: there is none yet'),
    storage: z.object({
      items: z
        .array(
          z.object({
            name: textSuchAs('audit_entry'),
            kind: z.enum(['table', 'files']),
            bytes: z.number().int().describe('A table with its indexes'),
            bytesPerDay: z.number().int().nullable().describe('Over the last week; null: not known yet'),
          }),
        )
        .describe('The largest tables and folders, the largest first'),
      database: z.object({ bytes: z.number().int(), bytesPerDay: z.number().int().nullable() }),
      disk: z
        .object({
          freeBytes: z.number().int(),
          bytesPerDay: z.number().int().nullable().describe('Of the folders, and of the database if it is embedded'),
          fullAt: instant.nullable().describe('When it is full at this rate; null: never, or not known yet'),
        })
        .nullable()
        .describe('The disk of DATA_DIR of the process that answers. The disk of another database server is not known'),
    }),
    lastBackup: z
      .object({ madeAt: instant, bytes: z.number().int() })
      .nullable()
      .describe('The newest backup of the whole installation (`npm run backup`); null: none was made'),
    warnings: z.array(
      z.object({
        code: textSuchAs('no_worker'),
        since: instant,
        text: z.string().describe('What it means, and what to do'),
      }),
    ),
  })
  .meta({ id: 'System' });
export type SystemView = z.input<typeof systemView>;

const settingView = z.object({
  name: textSuchAs('STATUS_EVERY_SECONDS'),
  value: z.string().nullable().describe('null: not set, or hidden. An address is without its user, password and query'),
  hidden: z.boolean().describe('Whether it is set to a secret, which no answer shows'),
  source: z.enum(['default', 'set']),
  description: z.string(),
});
export type SettingView = z.input<typeof settingView>;

export const settingList = z.object({ items: z.array(settingView) }).meta({ id: 'SettingList' });
