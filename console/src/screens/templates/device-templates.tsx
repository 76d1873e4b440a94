import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { DocLink, To } from '../../ui/to.js';
import { About, STANDING, SyncMark, useActions } from './device-states.js';
import { type DeviceState } from './drift-groups.js';
import { DifferenceLines } from './put-back/put-back-parts.js';
import { PutBackDevice } from './put-back/put-back-device.js';
import { ResumeDialog } from './suspended.js';
import { ofDeviceQuery } from './template-queries.js';

/** The templates that reach a device, what differs from each, and what sets the device back to it. */
export function DeviceTemplates({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data, error, refetch } = useQuery(ofDeviceQuery(device.id));
  const [chosen, setChosen] = useState<DeviceState | null>(null);
  const actions = useActions(setChosen);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const close = () => setChosen(null);
  if (data.items.length === 0) return <NoTemplate />;
  return (
    <div className="stack">
      <Table
        label="Templates of this device"
        columns={[...COLUMNS, actions]}
        rows={data.items}
        rowKey={({ template }) => template}
      />
      <p className="small quiet">
        What watches saw, and which changes were not by us, is under{' '}
        <To to={`/devices/${device.id}`} search={{ tab: 'history' }}>
          Changes
        </To>
        .
      </p>
      {chosen?.state === 'suspended' && (
        <ResumeDialog
          template={chosen.template}
          selector={`id:${chosen.deviceId}`}
          device={chosen.device}
          onClose={close}
        />
      )}
      {chosen && chosen.state !== 'suspended' && <PutBackDevice state={chosen} onClose={close} />}
    </div>
  );
}

function NoTemplate(): ReactNode {
  return (
    <div className="card">
      <Empty
        title="No published template reaches this device"
        command="fleetgate template list"
        action={<To to="/templates">Open the templates</To>}
      >
        A template says what devices should be set to. Then this tab shows what differs on this one, and sets it back.
        See <DocLink of="howto/set-routers-alike">Set routers alike</DocLink>.
      </Empty>
    </div>
  );
}

const COLUMNS: readonly Column<DeviceState>[] = [
  {
    title: 'Template',
    cell: ({ template }) => (
      <To to={`/templates/${template}`} className="foreign cut">
        {template}
      </To>
    ),
  },
  { title: 'State', cell: ({ state }) => <SyncMark state={state} /> },
  {
    title: 'What differs',
    narrow: 'block',
    cell: (row) =>
      row.reason === null && row.differences.length > 0 ? (
        <DifferenceLines of={row.differences} more={row.moreDifferences} />
      ) : (
        <About of={row} />
      ),
  },
  ...STANDING,
  {
    title: 'Last put back',
    narrow: 'none',
    cell: ({ closedAt }) => (closedAt ? <Ago at={closedAt} /> : <span className="quiet">–</span>),
  },
];
