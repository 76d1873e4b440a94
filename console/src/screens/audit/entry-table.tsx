import { type ReactNode, useMemo } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { type List } from '../../api/lists.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { GroupButton, Inside, useOpenGroups } from '../../ui/rows/group-button.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { Actor } from './actor.js';
import { actOf } from './entry-act.js';
import { entryGroups, type EntryGroup } from './entry-groups.js';
import { Subject } from './subject.js';
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

interface EntryTableProps {
  label: string;
  list: List<Entry>;
  empty: ReactNode;
  /** Whether entries of one work, and equal ones in a row, are one row that opens to them. */
  isJoined?: boolean;
  /** On the page of the device itself. */
  ofDevice?: boolean;
  /** Most rows; the others are not shown. */
  most?: number;
}

/** Entries of the audit, newest first, each with its act in words. */
export function EntryTable({
  label,
  list,
  empty,
  isJoined = true,
  ofDevice = false,
  most,
}: EntryTableProps): ReactNode {
  const [open, toggle] = useOpenGroups();
  const rows = useMemo(() => linesOf(list.rows, isJoined, open).slice(0, most), [list.rows, isJoined, open, most]);
  return (
    <ListTable
      label={label}
      list={{ ...list, rows }}
      rowKey={({ key }) => key}
      columns={columnsOf({ open, toggle, ofDevice, isPart: most !== undefined })}
      empty={empty}
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

interface Shown {
  open: ReadonlySet<string>;
  toggle: (key: string) => void;
  ofDevice: boolean;
  /** A few entries beside other things, where each column has less room. */
  isPart: boolean;
}

const columnsOf = ({ open, toggle, ofDevice, isPart }: Shown): readonly Column<Line>[] => [
  {
    title: 'When',
    cell: ({ entry }) => (isPart ? <Ago at={entry.openedAt} /> : <When at={entry.openedAt} />),
    brief: ({ entry }) => <Ago at={entry.openedAt} />,
  },
  { title: 'Who', narrow: 'line', cell: ({ entry }) => <Actor entry={entry} /> },
  {
    title: 'What',
    narrow: 'heading',
    share: 40,
    cell: ({ entry, group, isInside }) =>
      group ? (
        <GroupButton
          isOpen={open.has(group.key)}
          what={`its ${countText(group.entries.length, 'entry', 'entries')}`}
          onToggle={() => toggle(group.key)}
        >
          {(group.text ?? '').replace(/^./, (first) => first.toUpperCase())}
        </GroupButton>
      ) : isInside ? (
        <Inside>
          <EntryLink entry={entry} ofDevice={ofDevice} />
        </Inside>
      ) : (
        <EntryLink entry={entry} ofDevice={ofDevice} />
      ),
  },
  {
    title: ofDevice ? 'Call or job' : 'On what',
    narrow: 'block',
    share: 36,
    cell: ({ entry, group }) =>
      group ? <Work group={group} ofDevice={ofDevice} /> : <Subject entry={entry} ofDevice={ofDevice} />,
  },
  {
    title: 'Outcome',
    narrow: 'beside',
    cell: ({ entry, group }) => <StateMark state={(group ?? entry).outcome ?? (group ? 'running' : 'open')} />,
  },
];

/** The rollout by its name, or the device and the job; and how many entries it has. */
function Work({ group: { entries, isFolded }, ofDevice }: { group: EntryGroup; ofDevice: boolean }): ReactNode {
  const [{ jobId, operationId, reason, deviceId }] = entries;
  const devices = new Set(entries.flatMap((one) => one.deviceId ?? [])).size;
  const ofJob = devices === 1 && jobId !== null ? entries.find(({ action }) => action.startsWith('job.')) : undefined;
  // On the page of the device the act has the words of the kind: the name of the job would say it again.
  if (ofJob && ofDevice) return <To to={`/jobs/${jobId}`}>Job</To>;
  if (ofJob) return <Subject entry={ofJob} />;
  return (
    <span className={styles['work']}>
      {isFolded ? (
        <Together devices={devices} deviceId={ofDevice ? null : deviceId} />
      ) : jobId !== null ? (
        <span className="foreign cut">{(reason ?? 'Jobs').replace(/^rollout /, 'Rollout ')}</span>
      ) : (
        <To to={`/fan-outs/${operationId}`}>Bulk query</To>
      )}
      <span className="small quiet">{countText(entries.length, 'entry', 'entries')}</span>
    </span>
  );
}

/** What equal acts in a row were on. */
function Together({ devices, deviceId }: { devices: number; deviceId: string | null }): ReactNode {
  if (devices > 1) return <span>{countText(devices, 'device')}</span>;
  return deviceId !== null && <DeviceLink id={deviceId} />;
}

function EntryLink({ entry, ofDevice }: { entry: Entry; ofDevice: boolean }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="/audit" search={{ ...(ofDevice ? {} : search), entry: entry.id }} title={entry.action}>
      {actOf(entry)}
    </To>
  );
}
