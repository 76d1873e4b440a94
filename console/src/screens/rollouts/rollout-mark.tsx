import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { StateMark } from '../../ui/mark.js';
import { shownRollout } from '../../ui/words/rollout-state.js';
import { heldWaveText } from './pictures/wave-now.js';
import { rolloutQuery } from './plan/rollout-query.js';

/** The state of a rollout of a list. One that runs is read: whether its next wave waits for a person is said of its waves. */
export function RolloutMark({ rollout }: { rollout: Schema<'Rollout'> }): ReactNode {
  const isRunning = rollout.state === 'running';
  const { data } = useQuery({ ...rolloutQuery(rollout.id), enabled: isRunning, refetchInterval: 15_000 });
  const isHeld = isRunning && data !== undefined && heldWaveText(data) !== '';
  return <StateMark state={isHeld ? 'held' : shownRollout(rollout)} />;
}
