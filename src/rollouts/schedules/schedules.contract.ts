import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { nextRuns, orphaned, quarantinedAt, rhythmView, runsQuery } from '../../recurring/recurring-view.js';
import { nameSuchAs } from '../../http/schemas.js';
import { cron, rhythm } from '../../recurring/rhythm.js';
import { timeZone } from '../../platform/time-zone.js';
import { rolloutInput, shownSelector } from '../state/rollouts.contract.js';

/* Schemas of the routes of schedules. */

const name = nameSuchAs('nightly backups');
const missed = z.enum(['once', 'skip']).describe('Runs that were missed while the gateway was down: run once, or skip');

const template = rolloutInput.omit({ startsAt: true, dryRun: true }).meta({ id: 'RolloutTemplate' });

export const scheduleInput = z
  .strictObject({
    name,
    rhythm,
    rollout: template.describe('The rollout of each run; its selector is read again at each run'),
    missed: missed.default('once'),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreateSchedule' });
export type ScheduleInput = z.output<typeof scheduleInput>;

export const scheduleView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    rhythm: rhythmView,
    rollout: template.extend({ selector: shownSelector }).meta({ id: 'RolloutTemplateView' }),
    missed,
    enabled: z.boolean(),
    orphaned,
    nextRuns,
    lastRunAt: instant.nullable(),
    lastRolloutId: z.uuid().nullable(),
    lastError: z.string().nullable().describe('Why the last run started nothing'),
    quarantinedAt,
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'Schedule' });

export const nextRunsQuery = runsQuery.extend({ cron, timeZone: timeZone.default('UTC') });
export type NextRunsQuery = z.output<typeof nextRunsQuery>;

export const nextRunsView = z.object({ nextRuns }).meta({ id: 'NextRuns' });

export const scheduleList = z.object({ items: z.array(scheduleView) }).meta({ id: 'ScheduleList' });
