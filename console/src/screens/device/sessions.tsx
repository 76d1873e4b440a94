import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { PHASES, sessionQuery } from './session-phases.js';
import { SetLogin } from './set-login.js';

type Device = Schema<'Device'>;
type Sessions = Schema<'DeviceSession'>;

/** The shared session of a device, its queue, and whether the gateway waits before it asks again. */
export function DeviceSessions({ device }: { device: Device }): ReactNode {
  const [open, setOpen] = useState<'reset' | 'login' | null>(null);
  const mayCall = useMay('device.manage');
  const maySetLogin = useMay('device.trust');
  const query = useQuery(sessionQuery(device.id));
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  return (
    <>
      <div className="row">
        {mayCall && <Button onClick={() => setOpen('reset')}>End the sessions</Button>}
        {maySetLogin && <Button onClick={() => setOpen('login')}>Set the login</Button>}
      </div>
      <SessionTable sessions={query.data.sessions} />
      <Card title="Connection">
        <ConnectionFacts of={query.data} />
      </Card>
      {open === 'reset' && <ResetSessions device={device} onClose={() => setOpen(null)} />}
      {open === 'login' && <SetLogin device={device} onClose={() => setOpen(null)} />}
    </>
  );
}

function SessionTable({ sessions }: { sessions: Sessions['sessions'] }): ReactNode {
  return (
    <Table
      label="Sessions"
      rows={sessions.map((session, at) => ({ ...session, at }))}
      rowKey={({ at }) => String(at)}
      columns={[
        { title: 'Account', cell: ({ account }) => (account === 'read' ? 'for reads' : 'for all calls') },
        {
          title: 'State',
          cell: ({ phase }) => {
            const [tone, text] = PHASES[phase];
            return <Mark tone={tone}>{text}</Mark>;
          },
        },
        { title: 'Since', cell: ({ grantedAt }) => <Ago at={grantedAt} /> },
        { title: 'Ends unless used', cell: ({ endsAt }) => (endsAt ? <Ago at={endsAt} /> : '–') },
        { title: 'Logins today', cell: ({ loginsToday }) => loginsToday, isNumber: true },
        { title: 'Refused', cell: ({ failedLogins }) => failedLogins, isNumber: true },
      ]}
    />
  );
}

function ConnectionFacts({ of: { breaker, slots } }: { of: Sessions }): ReactNode {
  const use = ({ taken, waiting }: { taken: number; waiting: number }) =>
    `${numberText(taken)} running, ${numberText(waiting)} waiting`;
  return (
    <Facts
      of={[
        [
          'Calls',
          breaker.state === 'closed' ? (
            <Mark key="calls" tone="good">
              allowed
            </Mark>
          ) : (
            <Mark key="calls" tone="warn">
              wait until it answers
            </Mark>
          ),
        ],
        ['Failures in a row', breaker.failures],
        ['Next try', breaker.trialAt && <Ago key="probe" at={breaker.trialAt} />],
        ['Reads', use(slots.read)],
        ['Writes', use(slots.write)],
      ]}
    />
  );
}

function ResetSessions({ device: { id, name }, onClose }: { device: Device; onClose: () => void }): ReactNode {
  const reset = useAction({
    run: () => api.post('/v1/devices/{ref}/session/reset', { params: { path: { ref: id } } }),
    done: 'The sessions are ended',
    refreshes: ['device', 'devices'],
    after: onClose,
  });
  return (
    <Confirm
      title={`End the sessions of ${name}`}
      send="End sessions"
      busy={reset.isPending}
      equivalent={{ command: `device reset id:${id}`, method: 'POST', path: `/v1/devices/${id}/session/reset` }}
      onConfirm={() => reset.mutate()}
      onClose={onClose}
    >
      The gateway forgets its sessions and the failures of this device. The next call logs in again.
    </Confirm>
  );
}
