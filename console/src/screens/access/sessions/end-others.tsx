import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { Confirm } from '../../../ui/confirm.js';
import { ownSessionsQuery } from './own-sessions.js';

/** Ends all own sessions but that of this browser; nothing where there are no others. */
export function EndOthers(): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery(ownSessionsQuery);
  const others = (data?.items ?? []).filter(({ current }) => !current);
  const end = useAction({
    run: async () => {
      for (const { id } of others)
        await api.delete('/v1/self/sessions/{sessionId}', { params: { path: { sessionId: id } } });
    },
    done: 'All your other sessions are ended',
    refreshes: ['sessions'],
    after: () => setAsking(false),
  });
  if (others.length === 0 && !isAsking) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>End all others</Button>
      {isAsking && (
        <Confirm
          title="End all your other sessions"
          send="End all others"
          busy={end.isPending}
          onConfirm={() => end.mutate()}
          onClose={() => setAsking(false)}
        >
          {countText(others.length, 'browser has', 'browsers have')} to sign in again. This one stays signed in.
        </Confirm>
      )}
    </>
  );
}
