import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { SelectField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { exactText } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { Difference } from '../backups/difference.js';
import { LiveBackup } from '../backups/restoring/live-backup.js';

/** The configuration as a backup has it, against the device as it is now or against another backup. */
export function BackupDifference({ device }: { device: Schema<'Device'> }): ReactNode {
  const [{ a, b }, change] = useSearchText();
  const list = useList('/v1/artifacts', {
    key: KEYS.artifacts.backups,
    query: { kind: 'backup', device: device.id, limit: 100 },
  });
  if (list.error) return <Failure error={list.error} onRetry={list.again} />;
  if (list.isLoading) return <Loading />;
  if (list.rows.length === 0)
    return (
      <div className="card">
        <Empty title="This device has no backup yet" command={`fleetgate job start ${device.name} backup --watch`}>
          Make one first; later ones, and the device itself, can be compared with it.
        </Empty>
      </div>
    );
  const [newest, older] = list.rows;
  // What the newest backup changed is what most want to see.
  const isFirst = a === undefined && b === undefined && older !== undefined;
  const before = a ?? (isFirst ? older.id : (newest?.id ?? ''));
  const after = b ?? (isFirst ? newest?.id : undefined);
  const options = list.rows.map(({ id, createdAt }) => [id, exactText(createdAt)] as const);
  return (
    <div className="stack">
      <Filters>
        <SelectField
          label="Before"
          value={before}
          options={options}
          onChange={(event) => change({ a: event.target.value, b: after })}
        />
        <SelectField
          label="After"
          value={after ?? ''}
          options={[['', 'Choose …'], ...options]}
          onChange={(event) => change({ a: before, b: event.target.value || undefined })}
        />
      </Filters>
      <LiveBackup
        deviceId={device.id}
        label="Compare with the device now"
        onMade={(made) => change({ a: before, b: made })}
      />
      {after && <Difference a={before} b={after} isDated />}
    </div>
  );
}
