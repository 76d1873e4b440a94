import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { Card } from '../../ui/page.js';
import { EntryTable } from '../audit/entry-table.js';
import { LISTS } from './overview-queries.js';

/** Lines of the card; more entries are read, since those of one job are one line. */
const SHOWN = 8;

/** The last changes, from the audit. */
export function Changes(): ReactNode {
  const list = useList('/v1/audit', LISTS.changes);
  return (
    <Card title="Last changes" flush>
      <EntryTable
        label="Last changes"
        list={{ ...list, hasMore: false }}
        most={SHOWN}
        empty={<p className="quiet">No changes yet.</p>}
      />
    </Card>
  );
}
