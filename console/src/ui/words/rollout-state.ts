import { type components } from '../../../../src/api-client/openapi.js';

type Rollout = components['schemas']['Rollout'];

/** It was ended before it began, so that nothing was sent. */
export const isDiscarded = ({ state, startedAt }: Pick<Rollout, 'state' | 'startedAt'>): boolean =>
  startedAt === null && (state === 'aborting' || state === 'aborted');

/** The state as people say it: a discarded draft does not abort, and a rollout that begins in a moment is not planned for later. */
export function shownRollout(rollout: Pick<Rollout, 'state' | 'startedAt' | 'startsAt'>): string {
  if (isDiscarded(rollout)) return 'discarded';
  return rollout.state === 'scheduled' && rollout.startsAt === null ? 'starting' : rollout.state;
}
