import { type ReactNode, useMemo, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { triedText } from '../../ui/action-text.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty, Notice } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { Actor } from './actor.js';
import { entryGroups, type EntryGroup } from './entry-groups.js';
import { Subject } from './subject.js';
import { useFilters } from './use-filters.js';
import { When } from './when.js';
import styles from './audit.module.css';

type Entry = Schema<'AuditEntry'>;

/** A row of the list: an entry, or what joins several of them. */
interface Line {
  readonly key: string;
  readonly entry: Entry;
  /** Null: the entry alone. */
  readonly group: EntryGroup | null;
  /** It belongs to the group above it. */
  readonly isInside: boolean;
}

/** Filters that ask for entries of one work: they stand alone. */
const SINGLE = ['jobId', 'operation', 'requestId', 'action', 'outcome'] as const;

/** The entries, those of one job, rollout or fan-out as one row that opens to them. */
export function EntryList(): ReactNode {
  const [search] = useSearchText();
  const { query, unknownDevice, isNarrowed } = useFilters();
  const list = useList('/v1/audit', { key: KEYS.audit.list, query, enabled: !unknownDevice });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const isJoined = search['each'] !== 'yes' && SINGLE.every((name) => !search[name]);
  const rows = useMemo(() => linesOf(list.rows, isJoined, open), [list.rows, isJoined, open]);
  if (unknownDevice) return <Notice tone="warn">No device of that name. Type its complete name, or its id.</Notice>;
  const toggle = (key: string) =>
    setOpen((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]));
  return (
    <ListTable
      label="Audit entries"
      list={{ ...list, rows }}
      rowKey={({ key }) => key}
      columns={columnsOf(open, toggle)}
      empty={<NoEntries isNarrowed={isNarrowed} />}
    />
  );
}

function linesOf(entries: readonly Entry[], isJoined: boolean, open: ReadonlySet<string>): readonly Line[] {
  const alone = (entry: Entry, isInside = false): Line => ({ key: entry.id, entry, group: null, isInside });
  if (!isJoined) return entries.map((entry) => alone(entry));
  return entryGroups(entries).flatMap((group) => {
    const [newest] = group.entries;
    if (group.text === null) return [alone(newest)];
    const head: Line = { key: `group ${group.key}`, entry: newest, group, isInside: false };
    return open.has(group.key) ? [head, ...group.entries.map((entry) => alone(entry, true))] : [head];
  });
}

const columnsOf = (open: ReadonlySet<string>, toggle: (key: string) => void): readonly Column<Line>[] => [
  {
    title: 'When',
    cell: ({ entry }) => <When at={entry.openedAt} />,
    brief: ({ entry }) => <Ago at={entry.openedAt} />,
  },
  { title: 'Who', narrow: 'line', cell: ({ entry }) => <Actor entry={entry} /> },
  {
    title: 'What',
    narrow: 'heading',
    cell: ({ entry, group, isInside }) =>
      group ? (
        <GroupButton group={group} isOpen={open.has(group.key)} onToggle={() => toggle(group.key)} />
      ) : (
        <span className={isInside ? styles['inside'] : undefined}>
          <EntryLink entry={entry} />
        </span>
      ),
  },
  {
    title: 'On what',
    narrow: 'line',
    cell: ({ entry, group }) => (group ? <Work group={group} /> : <Subject entry={entry} />),
  },
  {
    title: 'Outcome',
    narrow: 'beside',
    cell: ({ entry, group }) => <StateMark state={(group ?? entry).outcome ?? (group ? 'running' : 'open')} />,
  },
];

interface GroupButtonProps {
  group: EntryGroup;
  isOpen: boolean;
  onToggle: () => void;
}

function GroupButton({ group: { text, entries }, isOpen, onToggle }: GroupButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={`button ${styles['group']}`}
      data-kind="link"
      aria-expanded={isOpen}
      title={`${isOpen ? 'Hide' : 'Show'} its ${countText(entries.length, 'entry', 'entries')}`}
      onClick={onToggle}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
      <span>{(text ?? '').replace(/^./, (first) => first.toUpperCase())}</span>
    </button>
  );
}

/** The rollout by its name, or the device and the job; and how many entries it has. */
function Work({ group: { entries } }: { group: EntryGroup }): ReactNode {
  const [{ jobId, operationId, reason, deviceId }] = entries;
  const amount = countText(entries.length, 'entry', 'entries');
  const isOne = entries.every((one) => one.deviceId === deviceId);
  const ended = entries.find(({ action }) => action.startsWith('job.'));
  if (isOne && jobId !== null && ended) return <Subject entry={ended} />;
  return (
    <span className={styles['work']}>
      {isOne || jobId !== null ? (
        <span className="foreign cut">{(reason ?? 'Jobs').replace(/^rollout /, 'Rollout ')}</span>
      ) : (
        <To to={`/fan-outs/${operationId}`}>Fan-out</To>
      )}
      <span className="small quiet">{amount}</span>
    </span>
  );
}

function EntryLink({ entry: { id, action, outcome } }: { entry: Entry }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="/audit" search={{ ...search, entry: id }} title={action}>
      {triedText(action, outcome)}
    </To>
  );
}

function NoEntries({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No entry matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No entries yet" command="fleetgate audit follow">
      Each change, and each read of something secret, is an entry here: written before its effect, closed after it.
    </Empty>
  );
}
