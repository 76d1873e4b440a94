import { type ReactNode } from 'react';
import { numberText } from '../api/amount-text.js';

/*
 * A state as a shape, a colour and a word: none of them is needed to read the others. Red is what is broken now, amber what needs
 * attention, green what was just proved; all else is grey, filled where it is in force.
 */

export type Tone = 'good' | 'warn' | 'bad' | 'strange' | 'busy' | 'set' | 'plain';

const SHAPES: Readonly<Record<Tone, string>> = {
  good: '●',
  warn: '▲',
  bad: '✕',
  strange: '◆',
  busy: '◐',
  set: '●',
  plain: '○',
};

export function Mark({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return (
    <span className="mark" data-tone={tone}>
      <i aria-hidden="true">{SHAPES[tone]}</i>
      {children}
    </span>
  );
}

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  // devices
  online: ['good', 'Online'],
  offline: ['bad', 'Offline'],
  credentials_refused: ['warn', 'Password refused'],
  trust_changed: ['strange', 'Certificate changed'],
  no_credentials: ['warn', 'No login'],
  new: ['plain', 'New'],
  // jobs and their phases
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  unknown: ['strange', 'Unknown'],
  not_executed: ['warn', 'Not executed'],
  cancelled: ['plain', 'Cancelled'],
  queued: ['plain', 'Queued'],
  dispatched: ['busy', 'Starting'],
  running: ['busy', 'Running'],
  ended: ['set', 'Ended'],
  // rollouts and waves
  draft: ['plain', 'Draft'],
  awaiting_approval: ['warn', 'Waits for approval'],
  discarded: ['plain', 'Discarded'],
  scheduled: ['plain', 'Scheduled'],
  starting: ['busy', 'Starting'],
  held: ['warn', 'Waits for a person'],
  paused: ['warn', 'Paused'],
  aborting: ['warn', 'Aborting'],
  aborted: ['plain', 'Aborted'],
  finished: ['good', 'Finished'],
  planned: ['plain', 'Planned'],
  waiting: ['plain', 'Waiting'],
  soaking: ['busy', 'Soaking'],
  passed: ['good', 'Passed'],
  accepted: ['warn', 'Accepted'],
  skipped: ['plain', 'Skipped'],
  pending: ['plain', 'Pending'],
  // alerts, approvals, deliveries, audit
  critical: ['bad', 'Critical alert'],
  alert: ['warn', 'Alert'],
  approved: ['set', 'Approved'],
  rejected: ['plain', 'Rejected'],
  used: ['plain', 'Used'],
  expired: ['plain', 'Expired'],
  delivered: ['good', 'Delivered'],
  refused: ['warn', 'Refused'],
  open: ['busy', 'Open'],
};

/** Any state of the API. @param count how many of several have it; absent: it is that of one, or of all. A state that is not known here is shown as the API names it. */
export function StateMark({
  state,
  count,
}: {
  state: string | null | undefined;
  count?: number | undefined;
}): ReactNode {
  if (!state) return <span className="quiet">–</span>;
  const [tone, text] = STATES[state] ?? ['plain', state.replaceAll('_', ' ')];
  return <Mark tone={tone}>{count === undefined ? text : `${numberText(count)} ${text.toLowerCase()}`}</Mark>;
}

/** An online or new device without stored credentials is marked: its calls and jobs fail. */
export const shownState = (state: string, credentials: object | null): string =>
  credentials === null && (state === 'online' || state === 'new') ? 'no_credentials' : state;

/** The word for a state. */
export const stateText = (state: string): string => STATES[state]?.[1] ?? state.replaceAll('_', ' ');
