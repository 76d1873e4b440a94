import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { rhythmText, zoneOf } from './rhythm.js';
import styles from './schedules.module.css';

/** What the calendar shows beside the schedules: the runs of backup policies, which are changed at their own place. */
export function PolicyRuns(): ReactNode {
  const { data } = useQuery({
    queryKey: KEYS.backups.policies,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
    enabled: useMay('backup.read'),
  });
  const active = (data?.items ?? []).filter(({ enabled, nextRunAt }) => enabled && nextRunAt !== null);
  if (active.length === 0) return null;
  return (
    <Card title="From backup policies">
      <ul className={styles['policies']}>
        {active.map(({ id, name, rhythm, nextRunAt }) => (
          <li key={id} className="row spread">
            <span className="foreign">
              <To to="/backups" search={{ tab: 'policies' }}>
                {name}
              </To>
            </span>
            <span className="quiet">
              {[rhythmText(rhythm), zoneOf(rhythm)].filter(Boolean).join(', ')} · next <Ago at={nextRunAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
