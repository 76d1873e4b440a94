import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { useAddForm, useSearchText } from '../../ui/to.js';
import { Freeze } from './freeze.js';
import { Lift, LOCK_KINDS, LockTarget } from './lift.js';
import { SetLock } from './set-lock.js';
import { TabHead } from '../../ui/rows/tab-head.js';

type Lock = Schema<'LockView'>;

/** The locks in force, and the freeze of all writes. */
export function Locks(): ReactNode {
  const [{ freeze }, change] = useSearchText();
  const list = useList('/v1/locks', { key: KEYS.locks.all });
  const [lifted, setLifted] = useState<Lock | null>(null);
  const mayLock = useMay('lock.manage');
  const [isSetting, setSetting] = useAddForm(mayLock);
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
        details={({ kind }) => `Lock: ${LOCK_KINDS[kind].toLowerCase()}`}
        columns={[
          {
            title: 'What is locked',
            cell: ({ kind }) => LOCK_KINDS[kind],
            brief: (lock) => (lock.target === null ? LOCK_KINDS[lock.kind] : <LockTarget of={lock} />),
            narrow: 'heading',
          },
          { title: 'Which', narrow: 'none', cell: (lock) => <LockTarget of={lock} /> },
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
