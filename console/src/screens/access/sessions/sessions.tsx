import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { Confirm } from '../../../ui/confirm.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Failure } from '../../../ui/messages.js';
import { GroupButton, Inside, useOpenGroups } from '../../../ui/rows/group-button.js';
import { RowActions } from '../../../ui/rows/row-actions.js';
import { Ago } from '../../../ui/time.js';
import { PersonLink } from '../people/person-link.js';
import { ownSessionsQuery } from './own-sessions.js';
import { browserText } from './browser-text.js';
import { type SessionLine, sessionLines } from './session-groups.js';
import { TabHead } from '../../../ui/rows/tab-head.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { AwaitedTable } from '../../../ui/rows/awaited.js';

type Session = Schema<'Session'>;

const PERSON: Column<SessionLine> = {
  title: 'Person',
  cell: ({ session: { operatorId, operatorName } }) => <PersonLink id={operatorId} name={operatorName} />,
};

const COLUMNS: readonly Column<SessionLine>[] = [
  { title: 'By', cell: ({ session: { way } }) => (way === 'oidc' ? 'OpenID Connect' : 'password') },
  {
    title: 'Address',
    narrow: 'line',
    cell: ({ session: { lastSeenAddress } }) => <code>{lastSeenAddress ?? '–'}</code>,
  },
  {
    title: 'Browser',
    narrow: 'line',
    cell: ({ session: { userAgent } }) => (
      <span className="foreign cut" title={userAgent ?? ''}>
        {browserText(userAgent)}
      </span>
    ),
  },
  {
    title: 'Last seen',
    cell: ({ session: { lastSeenAt } }) => <Ago at={lastSeenAt} />,
    brief: ({ session: { lastSeenAt } }) => (
      <>
        seen <Ago at={lastSeenAt} />
      </>
    ),
  },
];

interface SessionsProps {
  /** Only the own ones. */
  isOwn?: boolean;
  /** Only those of the person with this id. */
  person?: string;
}

/** Where people are signed in: all of them for who may manage operators, else the own ones. */
export function Sessions({ isOwn = false, person }: SessionsProps): ReactNode {
  const mayAll = useMay('operator.manage');
  const isAll = mayAll && !isOwn;
  const [ended, setEnded] = useState<Session | null>(null);
  const [open, toggle] = useOpenGroups();
  const own = useQuery({ ...ownSessionsQuery, enabled: !isAll });
  const all = useQuery({
    queryKey: KEYS.sessions.list(true),
    queryFn: ({ signal }) => api.get('/v1/sessions', { signal }),
    enabled: isAll,
  });
  const { data, error, refetch } = isAll ? all : own;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedTable titles={['Person', 'Signed in', 'By', 'Address', 'Browser', 'Last seen']} />;
  const isOfOne = isOwn || person !== undefined;
  const rows = data.items.filter(({ operatorId }) => person === undefined || operatorId === person);
  if (rows.length === 0)
    return (
      <div className="stack">
        <p className="quiet">In no browser.</p>
      </div>
    );
  return (
    <div className="stack">
      {!isOfOne && <TabHead text="Browsers in which people are signed in. End one that you do not know." />}
      <Table
        label="Sessions"
        rows={sessionLines(rows, open)}
        rowKey={({ key }) => key}
        details={({ session }) => `Session of ${session.operatorName}`}
        columns={[
          ...(isOfOne ? [] : [PERSON]),
          {
            title: 'Signed in',
            cell: ({ key, session: { madeAt }, count, isInside }) =>
              count > 1 ? (
                <GroupButton isOpen={open.has(key)} what="each of them" onToggle={() => toggle(key)}>
                  {countText(count, 'session')}, newest <Ago at={madeAt} />
                </GroupButton>
              ) : isInside ? (
                <Inside>
                  <Ago at={madeAt} />
                </Inside>
              ) : (
                <Ago at={madeAt} />
              ),
          },
          ...COLUMNS,
          { title: '', cell: ({ session, count }) => count === 1 && <End session={session} onEnd={setEnded} /> },
        ]}
      />
      {ended && <EndSession session={ended} isAll={isAll} onClose={() => setEnded(null)} />}
    </div>
  );
}

function End({ session, onEnd }: { session: Session; onEnd: (session: Session) => void }): ReactNode {
  if (session.current) return <span className="quiet">this one</span>;
  return (
    <RowActions
      of={`the session of ${session.operatorName}`}
      actions={[{ text: 'End', label: 'End', onSelect: () => onEnd(session) }]}
    />
  );
}

function EndSession({
  session: { id, operatorName },
  isAll,
  onClose,
}: {
  session: Session;
  isAll: boolean;
  onClose: () => void;
}): ReactNode {
  const path = isAll ? `/v1/sessions/${id}` : `/v1/self/sessions/${id}`;
  const end = useAction({
    run: () => {
      const params = { params: { path: { sessionId: id } } };
      return isAll
        ? api.delete('/v1/sessions/{sessionId}', params)
        : api.delete('/v1/self/sessions/{sessionId}', params);
    },
    done: 'The session is ended',
    refreshes: ['sessions'],
    after: onClose,
  });
  return (
    <Confirm
      title={`End a session of ${operatorName}`}
      send="End session"
      busy={end.isPending}
      equivalent={{ command: `${isAll ? 'session end' : 'self end-session'} ${id}`, method: 'DELETE', path }}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      The browser has to sign in again. It ends in every process at once.
    </Confirm>
  );
}
