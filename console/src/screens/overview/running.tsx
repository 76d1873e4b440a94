import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { type Schema } from '../../api/client.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { RolloutMark } from '../rollouts/rollout-mark.js';
import { LISTS } from './overview-queries.js';
import styles from './overview.module.css';

const UNDER_WAY = new Set(['running', 'paused', 'aborting', 'awaiting_approval', 'scheduled']);

/** The rollouts that have begun and not ended. */
export function Running(): ReactNode {
  const list = useList('/v1/rollouts', LISTS.rollouts);
  const rollouts = list.rows.filter(({ state }) => UNDER_WAY.has(state));
  return (
    <Card title="Rollouts under way">
      {list.error ? <Failure error={list.error} onRetry={list.again} /> : null}
      {list.isLoading && <p className="quiet">…</p>}
      {rollouts.length === 0 && !list.error && !list.isLoading ? (
        <p className="quiet">
          None. <To to="/rollouts/new">Plan a rollout</To>
        </p>
      ) : null}
      <ul className="stack">
        {rollouts.slice(0, 5).map((rollout) => (
          <li key={rollout.id}>
            <OneRollout {...rollout} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OneRollout(rollout: Schema<'Rollout'>): ReactNode {
  const { id, name, counts, total } = rollout;
  const of = (...states: (keyof typeof counts)[]) => states.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  const share = (part: number) => ({ width: `${(100 * part) / Math.max(1, total)}%` });
  const [succeeded, failed] = [of('succeeded'), of('failed', 'unknown')];
  return (
    <div className={`stack ${styles['rollout']}`}>
      <div className="row spread">
        <To to={`/rollouts/${id}`}>
          <span className="foreign">{name}</span>
        </To>
        <RolloutMark rollout={rollout} />
      </div>
      <div className="bar" role="img" aria-label={`${succeeded} of ${total} succeeded, ${failed} failed`}>
        <i data-tone="good" style={share(succeeded)} />
        <i data-tone="bad" style={share(failed)} />
      </div>
      <span className="small quiet">
        {succeeded.toLocaleString('en')} of {total.toLocaleString('en')} succeeded
        {failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''}
      </span>
    </div>
  );
}
