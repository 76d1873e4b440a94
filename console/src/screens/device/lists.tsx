import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filters.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { bytesText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { EntryTable } from '../audit/entry-table.js';
import { When } from '../audit/when.js';
import { backupJobsText } from '../backups/backup-jobs.js';
import { BackupStrip } from '../backups/backup-strip.js';
import { compareSearch } from '../backups/backup-runs.js';
import { whyText } from '../backups/stored/backup-why.js';
import { Change } from '../backups/stored/change.js';
import { useKnown } from '../backups/stored/use-known.js';
import { EqualBackups, Why } from '../backups/stored/why.js';
import { ActOnDevice } from '../jobs/acting/act-on-device.js';
import { Restore } from '../backups/restoring/restore.js';
import { VerifyBackup } from '../backups/verify-backup.js';
import { JobTable } from '../jobs/job-table.js';
import { KINDS } from '../jobs/kinds.js';
import { jobMarksQuery } from './device-queries.js';

type Backup = Schema<'Artifact'>;

interface OfDevice {
  device: Schema<'Device'>;
}

export function DeviceJobs({ device: { id } }: OfDevice): ReactNode {
  const [{ kind }] = useSearchText();
  const list = useList('/v1/jobs', { key: KEYS.jobs.of(id), query: { device: id, kind } });
  const recent = useQuery({ ...jobMarksQuery(id), enabled: useMay('job.read') });
  const known = new Set([kind, ...(recent.data?.items ?? []).map((job) => job.kind)]);
  const empty = kind ? (
    <Empty title="No job of this kind" />
  ) : (
    <Empty title="No jobs yet" command={`fleetgate job start id:${id} backup --watch`}>
      A job is one long operation on this device: a backup, a restart, another firmware.
    </Empty>
  );
  return (
    <div className="stack">
      <TabHead text="What was started on this device, newest first.">
        <div className="inline-fields">
          <SelectFilter
            label="Kind"
            param="kind"
            none="All kinds"
            options={KINDS.filter(([name]) => known.has(name))}
          />
        </div>
      </TabHead>
      <JobTable ofDevice list={list} empty={empty} />
    </div>
  );
}

export function DeviceBackups({ device: { id, name } }: OfDevice): ReactNode {
  const list = useList('/v1/artifacts', { key: KEYS.artifacts.of(id), query: { kind: 'backup', device: id } });
  const known = useKnown(id);
  const why = (backup: Backup) => whyText(backup, known);
  const [restored, setRestored] = useState<Backup | null>(null);
  const [isBackUp, setBackUp] = useState(false);
  const mayStart = useMay('job.start');
  const mayRestore = useMay('job.start_sensitive');
  return (
    <div className="stack">
      <TabHead text="What the gateway has stored of this device, newest first.">
        {mayStart && (
          <Button icon="archive" onClick={() => setBackUp(true)}>
            Back up now
          </Button>
        )}
      </TabHead>
      <BackupStrip list={list} deviceId={id} why={why} jobs={<BackupJobs deviceId={id} stored={list.rows.length} />} />
      <ListTable
        label="Backups of this device"
        list={list}
        rowKey={(backup) => backup.id}
        columns={[
          {
            title: 'Created',
            cell: ({ createdAt }) => <When at={createdAt} />,
            brief: ({ createdAt }) => <Ago at={createdAt} />,
            narrow: 'heading',
          },
          {
            title: 'Change',
            narrow: 'line',
            cell: (backup) => <Change of={backup} rows={list.rows} />,
          },
          {
            title: 'Why',
            brief: (backup) => why(backup),
            cell: (backup) => <Why of={backup} rows={list.rows} known={known} />,
          },
          { title: 'Size', narrow: 'line', cell: ({ bytes }) => bytesText(bytes), isNumber: true },
          {
            title: 'Check',
            narrow: 'beside',
            cell: ({ id: backup, createdAt }) => <VerifyBackup id={backup} of={`of ${exactText(createdAt)}`} />,
          },
          {
            title: '',
            cell: (backup) => (
              <RowActions
                of={`backup of ${exactText(backup.createdAt)}`}
                actions={[
                  mayRestore && { text: 'Restore', label: 'Restore', onSelect: () => setRestored(backup) },
                  { text: 'Contents', to: '/backups', search: { tab: 'files', contents: backup.id } },
                  { text: 'Compare', to: '/backups', search: compareSearch(backup, list.rows) },
                  { text: 'Download', href: ownPath(`/v1/artifacts/${backup.id}/content`) },
                ]}
              />
            ),
          },
        ]}
        empty={
          <Empty title="This device has no backups" command={`fleetgate job start id:${id} backup --watch`}>
            A backup is the complete configuration of the device, stored and opened once to see that it can be read.
          </Empty>
        }
      />
      <EqualBackups rows={list.rows} known={known} />
      {restored && <Restore backup={restored} deviceId={id} onClose={() => setRestored(null)} />}
      {isBackUp && <ActOnDevice kind="backup" deviceId={id} name={name} onClose={() => setBackUp(false)} />}
    </div>
  );
}

/** A job that finds the content of the backup before stores no second one. */
function BackupJobs({ deviceId, stored }: { deviceId: string; stored: number }): ReactNode {
  const { rows, hasMore } = useList('/v1/jobs', {
    key: KEYS.jobs.of(deviceId),
    query: { device: deviceId, kind: 'backup', limit: 200 },
    enabled: useMay('job.read'),
  });
  return backupJobsText(rows, stored, hasMore);
}

export function DeviceAudit({ device: { id, name } }: OfDevice): ReactNode {
  const list = useList('/v1/audit', { key: KEYS.audit.of(id), query: { deviceId: id } });
  return (
    <div className="stack">
      <TabHead text="Each change of this device, and each read of something secret, newest first.">
        <To to="/audit" search={{ device: name }} className="button">
          Filter and export
        </To>
      </TabHead>
      <EntryTable
        label="Audit entries of this device"
        list={list}
        ofDevice
        empty={
          <Empty title="No entries yet" command={`fleetgate audit list --device-id ${id}`}>
            Each change of this device is an entry here.
          </Empty>
        }
      />
    </div>
  );
}
