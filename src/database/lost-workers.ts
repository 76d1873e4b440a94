/*
 * The rule for work that crashes its process (ADR 22). Each job and each mark (`work-marks.ts`) counts the processes that
 * were lost in a row while they worked on it; progress sets the count to 0.
 *
 *   first loss    changes nothing: most of what a process had is innocent, and all of it runs again at once
 *   second loss   from now on such jobs and rows run one at a time in the installation, beside all other work
 *   third loss    quarantine: it ends, or stops until a person starts it again
 */

export const ONE_AT_A_TIME_FROM = 2;
export const QUARANTINE_FROM = 3;

/**
 * Whether one of them may run, as SQL. Take `ADVISORY_LOCK.jobDispatch` in the same statement: otherwise two processes
 * begin one each.
 */
export const NONE_IS_RUNNING = `
  not exists (select from job where lost_workers >= ${ONE_AT_A_TIME_FROM} and phase in ('dispatched', 'running'))
  and not exists (
    select from work_mark where lost_workers >= ${ONE_AT_A_TIME_FROM} and held_until > clock_timestamp())`;
