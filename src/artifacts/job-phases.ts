/* What this module knows of the jobs that use artifacts: the words in their rows. `jobs/rows/job-state.ts` gives them meaning. */

export const PHASES = ['queued', 'dispatched', 'running', 'ended'] as const;
export type JobPhase = (typeof PHASES)[number];

export const OUTCOMES = ['succeeded', 'failed', 'not_executed', 'unknown', 'cancelled'] as const;
export type JobOutcome = (typeof OUTCOMES)[number];
