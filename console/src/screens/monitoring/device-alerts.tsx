import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { Empty } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { AlertTable } from './alert/alert-table.js';

/** The alerts of a device that are open, and those that were. */
export function DeviceAlerts({ device: { id } }: { device: Schema<'Device'> }): ReactNode {
  const list = useList('/v1/monitoring/alerts', { key: KEYS.alerts.all, query: { device: id, state: 'all' } });
  return (
    <Card title="Alerts" flush>
      <AlertTable
        label="Alerts of this device"
        list={list}
        isJoined={false}
        ofDevice
        empty={
          <Empty title="It has met no rule so far" command={`fleetgate alert list --device id:${id} --state all`}>
            Its alerts stand here from then on, also when they are closed. What is watched:{' '}
            <To to="/monitoring" search={{ tab: 'rules' }}>
              the rules
            </To>
            .
          </Empty>
        }
      />
    </Card>
  );
}
