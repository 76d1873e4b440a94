import { Fragment, type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useDeviceName } from '../../api/names/device-names.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { GroupButton, Inside, useOpenGroups } from '../../ui/rows/group-button.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { InLine } from '../../ui/rows/narrow.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { bytesText, countText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { backupRuns, type BackupRun, changesText, compareSearch, isChanged, storedBytes } from './backup-runs.js';
import { BackupStrip, hasFigures } from './backup-strip.js';
import { BackupContents } from './contents.js';
import { RestoreBackup } from './restoring/restore.js';
import { type Known, runWhy, whyText } from './stored/backup-why.js';
import { Change } from './stored/change.js';
import { useKnown } from './stored/use-known.js';
import { EqualBackups, Why } from './stored/why.js';
import { VerifyBackup } from './verify-backup.js';
import styles from './backups.module.css';

type Backup = Schema<'Artifact'>;

/** A row: a backup, or those of one run. */
interface Line {
  readonly key: string;
  readonly backup: Backup;
  readonly run: BackupRun | null;
  readonly isInside: boolean;
}

function linesOf(backups: readonly Backup[], known: Known, open: ReadonlySet<string>): readonly Line[] {
  const alone = (backup: Backup, isInside = false): Line => ({ key: backup.id, backup, run: null, isInside });
  return backupRuns(backups, (backup) => whyText(backup, known)).flatMap((one) => {
    if (!('backups' in one)) return [alone(one)];
    const head: Line = { key: one.key, backup: one.backups[0], run: one, isInside: false };
    return open.has(one.key) ? [head, ...one.backups.map((backup) => alone(backup, true))] : [head];
  });
}

/** The stored backups, newest first. */
export function BackupFiles(): ReactNode {
  const [{ device, contents, restore }, change] = useSearchText();
  const mayRestore = useMay('job.start_sensitive');
  const known = useKnown(device);
  const list = useList('/v1/artifacts', { key: KEYS.artifacts.backups, query: { kind: 'backup', device } });
  const [open, toggle] = useOpenGroups();
  const lines = linesOf(list.rows, known, open);
  const columns = useColumns({
    rows: list.rows,
    known,
    open,
    toggle,
    restore: (id) => change({ restore: id }),
    show: (id) => change({ contents: id }),
  });
  return (
    <div className="stack">
      <ListHead
        list={list}
        isNarrowed={Boolean(device)}
        figures={() => hasFigures(list) && <BackupStrip list={list} why={(backup) => whyText(backup, known)} />}
      >
        <DeviceFilter />
      </ListHead>
      <ListTable
        label="Stored backups"
        list={{ ...list, rows: lines }}
        columns={columns}
        rowKey={({ key }) => key}
        empty={<NoBackups isNarrowed={Boolean(device)} />}
      />
      <EqualBackups rows={list.rows} known={known} />
      {contents && <BackupContents id={contents} onClose={() => change({ contents: undefined })} />}
      {mayRestore && restore && <RestoreBackup id={restore} onClose={() => change({ restore: undefined })} />}
    </div>
  );
}

interface Shown {
  rows: readonly Backup[];
  known: Known;
  open: ReadonlySet<string>;
  toggle: (key: string) => void;
  restore: (id: string) => void;
  show: (id: string) => void;
}

function useColumns({ rows, known, open, toggle, restore, show }: Shown): readonly Column<Line>[] {
  const group = ({ key, backups }: BackupRun) => (
    <GroupButton isOpen={open.has(key)} what="its backups" onToggle={() => toggle(key)}>
      {countText(backups.length, 'backup')}
    </GroupButton>
  );
  return [
    {
      title: 'Device',
      share: 20,
      narrow: 'heading',
      cell: ({ backup, run, isInside }) => {
        if (run) return group(run);
        return isInside ? <Inside>{deviceOf(backup)}</Inside> : deviceOf(backup);
      },
      brief: ({ backup, run }) =>
        run ? (
          group(run)
        ) : (
          <Button kind="link" onClick={() => show(backup.id)}>
            <InLine value={true}>{deviceOf(backup)}</InLine>
          </Button>
        ),
    },
    { title: 'Created', share: 12, narrow: 'beside', cell: ({ backup }) => <Ago at={backup.createdAt} /> },
    {
      title: 'Change',
      share: 23,
      cell: ({ backup, run }) => (run ? <Changed run={run} rows={rows} /> : <Change of={backup} rows={rows} />),
      brief: ({ backup, run }) => (run ? changesText(run.backups, rows) : <Change of={backup} rows={rows} />),
    },
    {
      title: 'Why',
      share: 20,
      brief: ({ backup, run }) => runWhy(run?.backups ?? [backup], known),
      cell: ({ backup, run }) =>
        run ? (
          <span className="foreign cut">{runWhy(run.backups, known)}</span>
        ) : (
          <Why of={backup} rows={rows} known={known} />
        ),
    },
    {
      title: 'Size',
      share: 9,
      narrow: 'line',
      cell: ({ backup, run }) => <Size of={run?.backups ?? [backup]} />,
      isNumber: true,
    },
    {
      title: 'Check',
      share: 10,
      narrow: 'none',
      cell: ({ backup: { id, createdAt }, run }) => !run && <VerifyBackup id={id} of={`of ${exactText(createdAt)}`} />,
    },
    {
      title: '',
      share: 6,
      cell: ({ backup, run }) =>
        !run && (
          <BackupActions of={backup} rows={rows} restore={() => restore(backup.id)} show={() => show(backup.id)} />
        ),
    },
  ];
}

interface ActionsProps {
  of: Backup;
  rows: readonly Backup[];
  restore: () => void;
  show: () => void;
}

/** A removed device takes no backup any more. */
function BackupActions({ of: backup, rows, restore, show }: ActionsProps): ReactNode {
  const mayRestore = useMay('job.start_sensitive');
  const isOfDevice = typeof useDeviceName(backup.deviceId ?? undefined) === 'string';
  return (
    <RowActions
      of={`the backup of ${exactText(backup.createdAt)}`}
      actions={[
        mayRestore && isOfDevice && { text: 'Restore', onSelect: restore },
        { text: 'Contents', onSelect: show },
        { text: 'Compare', to: '/backups', search: compareSearch(backup, rows) },
        { text: 'Download', href: ownPath(`/v1/artifacts/${backup.id}/content`) },
      ]}
    />
  );
}

const Size = ({ of }: { of: readonly Backup[] }): ReactNode => (
  <span className={styles['size']}>{bytesText(storedBytes(of))}</span>
);

/** Changed backups of a run that are named. */
const NAMED = 3;

/** How many of a run have changed, and of which devices. */
function Changed({ run: { backups }, rows }: { run: BackupRun; rows: readonly Backup[] }): ReactNode {
  const changed = backups.filter((one) => one.deviceId !== null && isChanged(one, rows));
  return (
    <span className={`quiet ${styles['named']}`}>
      {changesText(backups, rows) || '–'}
      {changed.slice(0, NAMED).map(({ id, deviceId }, at) => (
        <Fragment key={id}>
          {at === 0 ? ': ' : ', '}
          <DeviceLink id={deviceId!} />
        </Fragment>
      ))}
      {changed.length > NAMED && ' …'}
    </span>
  );
}

const deviceOf = ({ deviceId }: Backup): ReactNode =>
  deviceId ? <DeviceLink id={deviceId} /> : <span className="quiet">no device</span>;

function NoBackups({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  return (
    <Empty
      title={isNarrowed ? 'This device has no backups' : 'No backups yet'}
      command="fleetgate job start pump-1 backup --watch"
      action={
        <To to="/backups" search={{ tab: 'coverage' }} className="button" data-kind="primary">
          Back up devices
        </To>
      }
    >
      Start one under Coverage, or create a policy that makes them at its times.
    </Empty>
  );
}
