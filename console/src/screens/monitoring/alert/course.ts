import { type components } from '../../../../../src/api-client/openapi.js';

type Alert = components['schemas']['Alert'];

/** What has happened with an alert, or what it waits for. */
export interface CourseStep {
  /** null: it has not happened yet. */
  readonly at: string | null;
  readonly text: string;
  /** What a person wrote. */
  readonly note?: string;
}

/**
 * The course of an alert, the first step first, and what comes next where that is known. Pure.
 * @param opensAfter such as `15 min`, where the rule is known @param closesAfter as `opensAfter`
 */
export function courseOf(alert: Alert, opensAfter: string | null, closesAfter: string | null): readonly CourseStep[] {
  const { matchedAt, openedAt, acknowledgedAt, acknowledgedByName, acknowledgement, clearedAt, closedAt } = alert;
  const by = acknowledgedByName ?? 'Somebody';
  const past = [
    { at: matchedAt, text: 'The device met the rule' },
    { at: openedAt, text: 'The alert opened' },
    { at: acknowledgedAt, text: `${by} takes care of it`, ...(acknowledgement ? { note: acknowledgement } : {}) },
    { at: clearedAt, text: 'The device met the rule no longer' },
    { at: closedAt, text: 'The alert closed' },
  ].filter(({ at }) => at !== null);
  const next = nextOf(alert, opensAfter, closesAfter);
  const inOrder = past.toSorted((one, other) => Date.parse(one.at!) - Date.parse(other.at!));
  return next === null ? inOrder : [...inOrder, { at: null, text: next }];
}

function nextOf({ state, clearedAt }: Alert, opensAfter: string | null, closesAfter: string | null): string | null {
  const after = (time: string | null) => (time === null ? '' : ` after ${time}`);
  if (state === 'pending') return `It opens${after(opensAfter)}, if the device still meets the rule`;
  if (state === 'open')
    return clearedAt ? `It closes${after(closesAfter)}, if it stays so` : 'It closes when that is over';
  return null;
}
