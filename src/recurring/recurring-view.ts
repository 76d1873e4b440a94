import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { textSuchAs } from '../http/schemas.js';

/* What the answers of schedules and backup policies share. */

export const rhythmView = z.union([
  z.object({
    cron: textSuchAs('30 2 * * 1-5'),
    timeZone: textSuchAs('Europe/Vilnius'),
  }),
  z.object({ everySeconds: z.number().int() }),
]);

export const orphaned = z
  .boolean()
  .describe('Its author was disabled or their key revoked: it starts nothing until an operator saves it again');

export const unreadable = z
  .boolean()
  .describe(
    'Its author can no longer read the selector, such as one with a saved selector that was removed: it reaches no device',
  );

export const quarantinedAt = instant
  .nullable()
  .describe('When it was stopped because three processes were lost; it runs again when saved with `enabled`');

/** Two weeks of what runs every hour. */
const RUNS_MAX = 336;

export const RUNS_SHOWN = 3;

export const runsQuery = z.strictObject({
  runs: z.coerce.number().int().min(1).max(RUNS_MAX).default(RUNS_SHOWN).describe('How many of the next runs to list'),
});
export type RunsQuery = z.output<typeof runsQuery>;

export const nextRuns = z.array(instant).describe('The next ones: three, or as many as `runs` says');
