import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { useOperatorNames } from './accounts.js';
import { PersonLink } from './people/person-link.js';
import { Freeze } from './freeze.js';
import { SetLock } from './set-lock.js';
import { TabHead } from '../../ui/rows/tab-head.js';

type Lock = Schema<'LockView'>;

const KINDS = {
  operator: 'A person',
  key: 'An API key',
  device: 'A device',
  selector: 'Devices',
  writes: 'All writes',
} as const;

/** The locks in force, and the freeze of all writes. */
export function Locks(): ReactNode {
  const [{ freeze }, change] = useSearchText();
  const list = useList('/v1/locks', { key: KEYS.locks.all });
  const [lifted, setLifted] = useState<Lock | null>(null);
  const [isSetting, setSetting] = useState(false);
  const mayLock = useMay('lock.manage');
  const isFrozen = list.rows.some(({ kind }) => kind === 'writes');
  return (
    <div className="stack">
      <TabHead text="A lock stops a person, a key, all calls to devices, or all writes, until it ends or is lifted.">
        {mayLock && (
          <>
            {!isFrozen && (
              <Button kind="danger" onClick={() => change({ freeze: 'yes' })}>
                Freeze all writes
              </Button>
            )}
            <Button kind="primary" icon="lock" onClick={() => setSetting(true)}>
              Set a lock
            </Button>
          </>
        )}
      </TabHead>
      <ListTable
        label="Locks in force"
        list={list}
        rowKey={({ id }) => id}
        details={({ kind }) => `Lock: ${KINDS[kind].toLowerCase()}`}
        columns={[
          {
            title: 'What is locked',
            cell: ({ kind }) => KINDS[kind],
            brief: (lock) => (lock.target === null ? KINDS[lock.kind] : <Target of={lock} />),
            narrow: 'heading',
          },
          { title: 'Which', narrow: 'none', cell: (lock) => <Target of={lock} /> },
          { title: 'Reason', narrow: 'line', cell: ({ reason }) => <span className="foreign">{reason}</span> },
          { title: 'By', cell: ({ createdByName }) => <span className="foreign cut">{createdByName}</span> },
          { title: 'Since', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          {
            title: 'Ends',
            cell: ({ endsAt }) => (endsAt ? <Ago at={endsAt} /> : 'when it is lifted'),
            brief: ({ endsAt }) =>
              endsAt ? (
                <>
                  ends <Ago at={endsAt} />
                </>
              ) : (
                'until it is lifted'
              ),
          },
          {
            title: '',
            cell: (lock) =>
              mayLock && (
                <RowActions
                  of={lock.reason}
                  actions={[{ text: 'Lift', label: 'Lift', onSelect: () => setLifted(lock) }]}
                />
              ),
          },
        ]}
        empty={
          <Empty title="Nothing is locked" command="fleetgate lock set writes --reason 'trade fair'">
            Lock a device while a person works at it, or freeze all writes while nothing may change.
          </Empty>
        }
      />
      {freeze === 'yes' && mayLock && <Freeze onClose={() => change({ freeze: undefined })} />}
      {isSetting && <SetLock onClose={() => setSetting(false)} />}
      {lifted && <Lift lock={lifted} onClose={() => setLifted(null)} />}
    </div>
  );
}

function Target({ of: { kind, target } }: { of: Lock }): ReactNode {
  const names = useOperatorNames(kind === 'operator');
  if (target === null) return <span className="quiet">–</span>;
  if (kind === 'device') return <DeviceLink id={target} />;
  if (kind === 'operator' && names.has(target)) return <PersonLink id={target} name={names.get(target) ?? ''} />;
  return <code className="foreign cut">{target}</code>;
}

function Lift({ lock, onClose }: { lock: Lock; onClose: () => void }): ReactNode {
  const { id, kind, reason } = lock;
  const lift = useAction({
    run: () => api.delete('/v1/locks/{lockId}', { params: { path: { lockId: id } } }),
    done: 'The lock is lifted',
    refreshes: ['locks', 'devices', 'device'],
    after: onClose,
  });
  return (
    <Confirm
      title="Lift the lock"
      send="Lift lock"
      isHarmless
      busy={lift.isPending}
      equivalent={{ command: `lock lift ${id}`, method: 'DELETE', path: `/v1/locks/${id}` }}
      onConfirm={() => lift.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {KINDS[kind]} {lock.target !== null && <Target of={lock} />}: <strong className="foreign">{reason}</strong>
        </p>
        <p>
          What the lock stopped is allowed at once.
          {kind !== 'operator' && kind !== 'key' && ' Rollouts that it paused stay paused until a person resumes them.'}
        </p>
      </div>
    </Confirm>
  );
}
