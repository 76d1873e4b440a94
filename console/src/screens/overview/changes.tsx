import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { triedText } from '../../ui/action-text.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { Actor } from '../audit/actor.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { LISTS } from './overview-queries.js';

/** A subject that says no more than the entry itself does. */
const ID_ALONE = /^(?:[a-z_]+:[0-9a-f-]{36}|audit)$/;

/** The last changes, from the audit. */
export function Changes(): ReactNode {
  const list = useList('/v1/audit', LISTS.changes);
  return (
    <Card title="Last changes" flush>
      <ListTable
        label="Last changes"
        list={{ ...list, hasMore: false }}
        rowKey={({ id }) => id}
        empty={<p className="quiet">No changes yet.</p>}
        columns={[
          { title: 'When', narrow: 'line', cell: ({ openedAt }) => <Ago at={openedAt} /> },
          {
            title: 'Who',
            cell: (entry) => <Actor entry={entry} />,
            brief: (entry) => (
              <>
                <Actor entry={entry} />
                {entry.deviceId && <> · {<DeviceLink id={entry.deviceId} />}</>}
              </>
            ),
          },
          {
            title: 'What',
            narrow: 'heading',
            brief: ({ id, action, outcome }) => (
              <To to="/audit" search={{ entry: id }} title={action}>
                {triedText(action, outcome)}
              </To>
            ),
            cell: ({ id, action, outcome, subject, deviceId }) => (
              <span className="row">
                <To to="/audit" search={{ entry: id }} title={action}>
                  {triedText(action, outcome)}
                </To>
                {deviceId ? (
                  <DeviceLink id={deviceId} />
                ) : (
                  !ID_ALONE.test(subject) && <span className="cut foreign quiet">{subject}</span>
                )}
              </span>
            ),
          },
          { title: 'Outcome', narrow: 'beside', cell: ({ outcome }) => <StateMark state={outcome ?? 'open'} /> },
        ]}
      />
    </Card>
  );
}
