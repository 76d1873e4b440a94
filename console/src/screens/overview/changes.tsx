import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { Actor } from '../audit/actor.js';
import { actOf } from '../audit/entry-act.js';
import { Subject } from '../audit/subject.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { LISTS } from './overview-queries.js';

/** Lines of the card; twice as many entries are read. */
const SHOWN = 8;

/** A refused request changed nothing; all of them stand in the audit. */
const isChange = ({ action }: { action: string }): boolean => action !== 'request.refuse';

/** The last changes, from the audit. */
export function Changes(): ReactNode {
  const list = useList('/v1/audit', LISTS.changes);
  return (
    <Card title="Last changes" flush>
      <ListTable
        label="Last changes"
        list={{ ...list, rows: list.rows.filter(isChange).slice(0, SHOWN), hasMore: false }}
        rowKey={({ id }) => id}
        empty={<p className="quiet">No changes yet.</p>}
        columns={[
          { title: 'When', narrow: 'line', cell: ({ openedAt }) => <Ago at={openedAt} /> },
          { title: 'Who', narrow: 'line', cell: (entry) => <Actor entry={entry} /> },
          {
            title: 'What',
            narrow: 'heading',
            cell: (entry) => (
              <To to="/audit" search={{ entry: entry.id }} title={entry.action}>
                {actOf(entry)}
              </To>
            ),
          },
          { title: 'On what', narrow: 'line', share: 34, cell: (entry) => <Subject entry={entry} /> },
          { title: 'Outcome', narrow: 'beside', cell: ({ outcome }) => <StateMark state={outcome ?? 'open'} /> },
        ]}
      />
    </Card>
  );
}
