import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { countText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { selfQuery } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Mark } from '../../../ui/mark.js';
import { Empty, Failure } from '../../../ui/messages.js';
import { RowActions } from '../../../ui/rows/row-actions.js';
import { Ago, useNow } from '../../../ui/time.js';
import { useAddForm } from '../../../ui/to.js';
import { isWorking, keysQuery, useOperatorNames } from '../accounts.js';
import { PersonLink } from '../people/person-link.js';
import { TabHead } from '../../../ui/rows/tab-head.js';
import { IssueKey } from './issue-key.js';
import { RevokeKey, RotateKey } from './key-dialogs.js';
import { AwaitedTable } from '../../../ui/rows/awaited.js';

type Key = Schema<'ApiKey'>;
type OpenDialog = readonly [dialog: 'rotate' | 'revoke', key: Key];

/** Keys for programs: those of all people for holders of `key.manage`, else the own ones. */
export function Keys(): ReactNode {
  const [isIssuing, setIssuing] = useAddForm(true);
  const isAll = useMay('key.manage');
  const { data, error, refetch } = useQuery(keysQuery(isAll));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data)
    return <AwaitedTable titles={['Person', 'Name', 'Prefix', 'State', 'Limits', 'Created', 'Ends', 'Last used']} />;
  return (
    <div className="stack">
      <TabHead text="With a key a program acts in the name of a person, with the same rights or fewer.">
        <Button kind="primary" icon="plus" onClick={() => setIssuing(true)}>
          Issue a key
        </Button>
      </TabHead>
      {data.items.length === 0 ? (
        <div className="card">
          <Empty title="There are no keys" command="fleetgate key issue-own laptop">
            A key lets a program act in the name of a person, with the same rights or fewer.
          </Empty>
        </div>
      ) : (
        <KeyList keys={data.items} withPerson={isAll} />
      )}
      {isIssuing && <IssueKey forOthers={isAll} onClose={() => setIssuing(false)} />}
    </div>
  );
}

interface KeyListProps {
  keys: readonly Key[];
  /** Whether a column says whose they are. */
  withPerson?: boolean;
}

/** Keys that work; the ended ones, if there are others, when they are asked for. */
export function KeyList({ keys, withPerson = false }: KeyListProps): ReactNode {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [hasEnded, setEnded] = useState(false);
  const now = useNow();
  const self = useQuery(selfQuery).data;
  const working = keys.filter((key) => isWorking(key, now));
  const ended = keys.filter((key) => !isWorking(key, now));
  const areAllShown = hasEnded || ended.length === 0 || working.length === 0;
  const isOther = ({ operatorId }: Key) => self?.operatorId !== operatorId;
  const close = () => setOpen(null);
  return (
    <>
      <KeyTable keys={areAllShown ? [...working, ...ended] : working} withPerson={withPerson} onOpen={setOpen} />
      {!areAllShown && (
        <div>
          <Button onClick={() => setEnded(true)}>Show {countText(ended.length, 'ended key')}</Button>
        </div>
      )}
      {open?.[0] === 'rotate' && <RotateKey apiKey={open[1]} isOther={isOther(open[1])} onClose={close} />}
      {open?.[0] === 'revoke' && <RevokeKey apiKey={open[1]} isOther={isOther(open[1])} onClose={close} />}
    </>
  );
}

interface KeyTableProps extends Required<KeyListProps> {
  onOpen: (open: OpenDialog) => void;
}

function KeyTable({ keys, withPerson, onOpen }: KeyTableProps): ReactNode {
  const names = useOperatorNames(withPerson);
  const person: Column<Key> = {
    title: 'Person',
    narrow: 'line',
    cell: ({ operatorId }) => <PersonLink id={operatorId} name={names.get(operatorId) ?? operatorId} />,
  };
  return (
    <Table
      label="Keys"
      rows={keys}
      rowKey={({ id }) => id}
      details={({ name }) => `Key ${name}`}
      columns={[
        { title: 'Name', cell: ({ name }) => <span className="foreign cut">{name}</span> },
        ...(withPerson ? [person] : []),
        { title: 'Prefix', cell: ({ prefix }) => <code>{prefix}</code> },
        { title: 'State', cell: (key) => <KeyState of={key} />, brief: (key) => <KeyState of={key} withEnd /> },
        { title: 'Limits', narrow: 'line', cell: (key) => <KeyLimits of={key} /> },
        { title: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        {
          title: 'Ends',
          cell: (key) => <KeyEnd of={key} />,
          brief: (key) =>
            key.expiresAt && key.revokedAt === null ? (
              <>
                ends <Ago at={key.expiresAt} />
              </>
            ) : null,
        },
        {
          title: 'Last used',
          cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
          brief: ({ lastUsedAt }) =>
            lastUsedAt ? (
              <>
                used <Ago at={lastUsedAt} />
              </>
            ) : (
              'never used'
            ),
        },
        {
          title: '',
          cell: (key) =>
            key.revokedAt === null && (
              <RowActions
                of={key.name}
                actions={[
                  { text: 'Replace', label: `Replace the key ${key.name}`, onSelect: () => onOpen(['rotate', key]) },
                  {
                    text: 'Revoke',
                    isDanger: true,
                    onSelect: () => onOpen(['revoke', key]),
                  },
                ]}
              />
            ),
        },
      ]}
    />
  );
}

/** @param withEnd there is no column of its end beside it, so its warning takes the place of a good state */
function KeyState({ of: key, withEnd = false }: { of: Key; withEnd?: boolean }): ReactNode {
  const now = useNow();
  if (withEnd && isEndless(key)) return <KeyEnd of={key} />;
  if (isWorking(key, now)) return <Mark tone="set">Valid</Mark>;
  return <Mark tone="plain">{key.revokedAt ? 'Revoked' : 'Expired'}</Mark>;
}

const isEndless = ({ revokedAt, expiresAt, scope }: Key): boolean => !revokedAt && !expiresAt && !scope?.permissions;

/** A revoked key has no end any more. One without an end that may do all that its person may is marked: it works until a person thinks of it. */
function KeyEnd({ of: key }: { of: Key }): ReactNode {
  const { revokedAt, expiresAt } = key;
  if (revokedAt) return <span className="quiet">–</span>;
  if (expiresAt) return <Ago at={expiresAt} />;
  if (!isEndless(key)) return 'never';
  return (
    <span title="It may do all that its person may, and works until it is revoked: replace it by one that ends.">
      <Mark tone="warn">Never ends</Mark>
    </span>
  );
}

/** How a key is narrowed below its person. */
function KeyLimits({ of: { scope, allowedAddresses } }: { of: Key }): ReactNode {
  const limits = [scope?.permissions?.join(', '), scope?.selector, scope?.devices && 'some paths'].filter(Boolean);
  if (allowedAddresses.length > 0) limits.push(`from ${allowedAddresses.join(', ')}`);
  if (limits.length === 0) return <span className="quiet">none</span>;
  const text = limits.join(' · ');
  return (
    <span className="foreign cut" title={text}>
      {text}
    </span>
  );
}
