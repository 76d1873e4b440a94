import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Mark, type Tone } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { pastRun, policyOutcome } from './past-runs.js';

/** The newest backup jobs that are read: those of the last night of some hundred devices. */
const JOBS_READ = 300;

/** How the rollout ended that a schedule started last. */
export function LastRollout({ of: { lastRunAt, lastRolloutId } }: { of: Schema<'Schedule'> }): ReactNode {
  const { rows } = useList('/v1/rollouts', { key: KEYS.rollouts.calendar, query: { limit: 100 } });
  const rollout = rows.find(({ id }) => id === lastRolloutId);
  const when =
    lastRolloutId === null ? (
      <Ago at={lastRunAt} />
    ) : (
      <To to={`/rollouts/${lastRolloutId}`}>
        <Ago at={lastRunAt} />
      </To>
    );
  if (!rollout) return when;
  const { tone, about } = pastRun(rollout);
  return <Ending tone={tone} text={about} when={when} />;
}

/** How many backups the last run of a policy made; where they are too many to be read, how many it started. */
export function LastBackups({ of: policy }: { of: Schema<'BackupPolicy'> }): ReactNode {
  const { rows } = useList('/v1/jobs', {
    key: KEYS.jobs.ofPolicies,
    query: { kind: 'backup', limit: JOBS_READ },
    enabled: useMay('job.read'),
  });
  const { lastRunAt, lastStarted } = policy;
  const when = <Ago at={lastRunAt} />;
  const outcome = policyOutcome(policy, rows);
  if (outcome) return <Ending {...outcome} when={when} />;
  if (lastRunAt === null || !lastStarted) return when;
  return <Ending tone="plain" text={`${countText(lastStarted, 'backup')} started`} when={when} />;
}

function Ending({ tone, text, when }: { tone: Tone; text: string; when: ReactNode }): ReactNode {
  return (
    <span>
      <Mark tone={tone}>{text}</Mark>
      <br />
      <span className="small quiet">{when}</span>
    </span>
  );
}
