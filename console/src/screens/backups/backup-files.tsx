import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { Filters } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { InLine } from '../../ui/rows/narrow.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { bytesText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { BackupStrip } from './backup-strip.js';
import { BackupContents } from './contents.js';
import { Restore } from './restore.js';
import { VerifyBackup } from './verify-backup.js';

type Backup = Schema<'Artifact'>;

/** The stored backups, newest first. */
export function BackupFiles(): ReactNode {
  const [{ device, contents }, change] = useSearchText();
  const list = useList('/v1/artifacts', { key: KEYS.artifacts.backups, query: { kind: 'backup', device } });
  const [restored, setRestored] = useState<Backup | null>(null);
  return (
    <div className="stack">
      <Filters>
        <DeviceFilter />
      </Filters>
      <BackupStrip list={list} />
      <ListTable
        label="Stored backups"
        list={list}
        columns={useColumns(list.rows, setRestored, (id) => change({ contents: id }))}
        rowKey={({ id }) => id}
        empty={<NoBackups isNarrowed={Boolean(device)} />}
      />
      {contents && <BackupContents id={contents} onClose={() => change({ contents: undefined })} />}
      {restored?.deviceId && (
        <Restore backup={restored} deviceId={restored.deviceId} onClose={() => setRestored(null)} />
      )}
    </div>
  );
}

function useColumns(
  rows: readonly Backup[],
  restore: (backup: Backup) => void,
  open: (id: string) => void,
): readonly Column<Backup>[] {
  const mayRestore = useMay('job.start_sensitive');
  return [
    {
      title: 'Device',
      narrow: 'heading',
      cell: ({ deviceId }) => (deviceId ? <DeviceLink id={deviceId} /> : <span className="quiet">–</span>),
      brief: ({ id, deviceId }) => (
        <Button kind="link" onClick={() => open(id)}>
          <InLine value={true}>{deviceId ? <DeviceLink id={deviceId} /> : 'no device'}</InLine>
        </Button>
      ),
    },
    { title: 'Made', narrow: 'beside', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      title: 'By',
      brief: ({ createdByName }) => createdByName && `by ${createdByName}`,
      cell: ({ createdByName }) => <span className="foreign cut">{createdByName ?? '–'}</span>,
    },
    { title: 'Size', narrow: 'line', cell: ({ bytes }) => bytesText(bytes), isNumber: true },
    { title: 'Against the one before', narrow: 'none', cell: (backup) => <Before of={backup} rows={rows} /> },
    { title: 'Verified', cell: ({ id, createdAt }) => <VerifyBackup id={id} of={`of ${exactText(createdAt)}`} /> },
    {
      title: '',
      cell: (backup) => (
        <RowActions
          of={`the backup of ${exactText(backup.createdAt)}`}
          actions={[
            mayRestore &&
              backup.deviceId !== null && { text: 'Restore', label: 'Restore', onSelect: () => restore(backup) },
            { text: 'Contents', onSelect: () => open(backup.id) },
            { text: 'Compare', to: '/backups', search: compared(backup) },
            { text: 'Download', href: ownPath(`/v1/artifacts/${backup.id}/content`) },
          ]}
        />
      ),
    },
  ];
}

/** How much larger it is than the one before it of the same device, and the way to what differs. */
function Before({ of, rows }: { of: Backup; rows: readonly Backup[] }): ReactNode {
  const older = rows.slice(rows.indexOf(of) + 1).find(({ deviceId }) => deviceId === of.deviceId);
  if (!older || of.deviceId === null) return <span className="quiet">–</span>;
  const more = of.bytes - older.bytes;
  return (
    <To to="/backups" search={{ tab: 'compare', device: of.deviceId, a: older.id, b: of.id }}>
      {more === 0 ? 'same size' : `${bytesText(Math.abs(more))} ${more > 0 ? 'more' : 'less'}`}
    </To>
  );
}

const compared = ({ id, deviceId }: Backup) => ({ tab: 'compare', device: deviceId ?? undefined, a: id });

function NoBackups({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  return (
    <Empty
      title={isNarrowed ? 'This device has no backups' : 'No backups yet'}
      command="fleetgate job start pump-1 backup --watch"
    >
      Start one under Coverage, or create a policy that makes them at its times.
    </Empty>
  );
}
