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
import { useSearchText } from '../../ui/to.js';
import { bytesText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceFilter } from '../jobs/device-filter.js';
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
      <ListTable
        label="Stored backups"
        list={list}
        columns={useColumns(setRestored, (id) => change({ contents: id }))}
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

function useColumns(restore: (backup: Backup) => void, open: (id: string) => void): readonly Column<Backup>[] {
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
    {
      title: 'SHA-256',
      narrow: 'none',
      cell: ({ sha256 }) => (
        <code className="small" title={sha256}>
          {sha256.slice(0, 12)}…
        </code>
      ),
    },
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
