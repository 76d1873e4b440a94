import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, useNow } from '../../ui/time.js';
import { SessionCard } from './session-card.js';
import { sessionQuery } from './session-phases.js';
import { SetLogin } from './set-login.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type Device = Schema<'Device'>;
type Sessions = Schema<'DeviceSession'>;

/** The shared sessions of a device, its queue, and whether the gateway waits before it asks again. */
export function DeviceSessions({ device }: { device: Device }): ReactNode {
  const [open, setOpen] = useState<'reset' | 'login' | null>(null);
  const mayCall = useMay('device.manage');
  const maySetLogin = useMay('device.trust');
  const query = useQuery(sessionQuery(device.id));
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <AwaitedCards />;
  return (
    <>
      <p className="quiet">
        The gateway logs in to the router once, and all who use it share this session: people, jobs and watches. So the
        router sees few logins, and nobody needs its password.
      </p>
      <div className="columns">
        {query.data.sessions.map((session, at) => (
          <SessionCard
            key={at}
            device={device}
            session={session}
            onSetLogin={maySetLogin && session.account === 'main' ? () => setOpen('login') : null}
          />
        ))}
        <Card title="Calls to the router">
          <ConnectionFacts of={query.data} />
        </Card>
      </div>
      <div className="row">
        {mayCall && <Button onClick={() => setOpen('reset')}>End the sessions</Button>}
        {maySetLogin && <Button onClick={() => setOpen('login')}>Set the login</Button>}
      </div>
      {open === 'reset' && <ResetSessions device={device} onClose={() => setOpen(null)} />}
      {open === 'login' && <SetLogin device={device} onClose={() => setOpen(null)} />}
    </>
  );
}

function ConnectionFacts({ of: { breaker, slots } }: { of: Sessions }): ReactNode {
  const isOpen = breaker.state === 'closed';
  return (
    <Facts
      of={[
        [
          'Calls',
          <Mark key="calls" tone={isOpen ? 'good' : 'warn'}>
            {isOpen ? 'sent at once' : 'held until it answers'}
          </Mark>,
        ],
        ['Now', <SlotsText key="now" slots={slots} />],
        [
          'Failures',
          breaker.failures === 0
            ? 'none since its last answer'
            : `${countText(breaker.failures, 'call')} in a row had no answer`,
        ],
        ...(breaker.trialAt === null ? [] : [['Tries again', <TrialText key="probe" at={breaker.trialAt} />] as const]),
      ]}
    />
  );
}

/** Nothing is tried by itself: from that time on the next call is. */
function TrialText({ at }: { at: string }): ReactNode {
  const now = useNow();
  return new Date(at).getTime() <= now ? 'with the next call' : <Ago at={at} />;
}

function SlotsText({ slots: { read, write } }: { slots: Sessions['slots'] }): ReactNode {
  const waiting = read.waiting + write.waiting;
  if (read.taken + write.taken + waiting === 0) return 'nobody uses it';
  const running = `${countText(read.taken, 'read')} and ${countText(write.taken, 'write')} running`;
  return waiting === 0 ? running : `${running}, ${numberText(waiting)} waiting`;
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
