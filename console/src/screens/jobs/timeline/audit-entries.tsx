import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Card } from '../../../ui/page.js';
import { actOf } from '../../audit/entry-act.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';

const SHOWN = 10;

/** What the audit has of a job; each entry is a link to its proof. */
export function AuditEntries({ jobId }: { jobId: string }): ReactNode {
  const { data } = useQuery({
    queryKey: KEYS.audit.ofJob(jobId),
    queryFn: ({ signal }) => api.get('/v1/audit', { params: { query: { jobId, limit: SHOWN } }, signal }),
    enabled: useMay('audit.read'),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <Card
      title="In the audit"
      actions={
        <To to="/audit" search={{ jobId }}>
          All entries
        </To>
      }
    >
      <ul className="stack">
        {data.items.map((entry) => (
          <li key={entry.id} className="row spread">
            <span className="foreign">
              <To to="/audit" search={{ jobId, entry: entry.id }}>
                {actOf(entry)}
              </To>{' '}
              <span className="quiet">{entry.actorName}</span>
            </span>
            <span className="small quiet">
              <Ago at={entry.openedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
