import { type ReactNode, useEffect } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago, exactText } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { Before } from './backup-files.js';
import { isChanged } from './backup-runs.js';
import { DeviceChoice } from './device-choice.js';
import { Difference } from './difference.js';
import { LiveBackup } from './live-backup.js';
import styles from './backups.module.css';

const SHOWN = 10;

/** Two backups of a device side by side, or one with the device as it is now. */
export function Compare(): ReactNode {
  const [{ device, a, b }, change] = useSearchText();
  return (
    <div className="stack">
      <div className={`${filters['filters']} ${styles['compareFilters']}`} role="search">
        <DeviceChoice />
        {device && <Choices key={device} device={device} />}
        {a && b && <Button onClick={() => change({ a: b, b: a })}>Swap</Button>}
      </div>
      {device && a && (
        <LiveBackup deviceId={device} label="Compare with the device now" onMade={(made) => change({ b: made })} />
      )}
      {a && b ? (
        <>
          <Difference a={a} b={b} isDated />
          <EquivalentLines
            command={`backup diff --a ${a} --b ${b}`}
            method="GET"
            path={`/v1/backups/diff?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`}
          />
        </>
      ) : (
        !device && <ChangedBackups />
      )}
    </div>
  );
}

function Choices({ device }: { device: string }): ReactNode {
  const [{ a, b }, change] = useSearchText();
  const list = useList('/v1/artifacts', {
    key: KEYS.artifacts.backups,
    query: { kind: 'backup', device, limit: 100 },
  });
  const [newest, older] = list.rows;
  const isFirst = !a && !b && newest !== undefined && older !== undefined;
  useEffect(() => {
    if (isFirst) change({ a: older.id, b: newest.id });
  }, [isFirst, older, newest, change]);
  if (list.isLoading) return <Loading />;
  if (list.error) return <Failure error={list.error} onRetry={list.again} />;
  if (list.rows.length === 0) return <span className="quiet">This device has no backups.</span>;
  return (
    <>
      <Side label="Before" value={a} rows={list.rows} choose={(id) => change({ a: id })} />
      <Side label="After" value={b} rows={list.rows} choose={(id) => change({ b: id })} />
    </>
  );
}

function Side({
  label,
  value,
  rows,
  choose,
}: {
  label: string;
  value: string | undefined;
  rows: readonly Schema<'Artifact'>[];
  choose: (id: string | undefined) => void;
}): ReactNode {
  const options = rows.map(({ id, createdAt }) => [id, exactText(createdAt)] as const);
  const known = !value || rows.some(({ id }) => id === value);
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      options={[['', 'Choose …'], ...(known ? [] : [[value, 'Another backup'] as const]), ...options]}
      onChange={(event) => choose(event.target.value || undefined)}
    />
  );
}

/** The last backups that differ from the one before them, each with the way to what differs. */
function ChangedBackups(): ReactNode {
  const { rows } = useList('/v1/artifacts', {
    key: KEYS.artifacts.backups,
    query: { kind: 'backup' },
    withDevices: true,
  });
  const changed = rows.filter((backup) => isChanged(backup, rows));
  if (changed.length === 0)
    return (
      <div className="card">
        <Empty title="Choose what to compare">
          {rows.length > 0 && 'The settings of the last backups are those of the ones before. '}
          Choose a device: its two newest backups are compared first. Others, or the device as it is now, can be chosen
          then.
        </Empty>
      </div>
    );
  const columns: readonly Column<Schema<'Artifact'>>[] = [
    { title: 'Device', cell: ({ deviceId }) => deviceId && <DeviceLink id={deviceId} /> },
    { title: 'Against the one before', narrow: 'line', cell: (backup) => <Before of={backup} rows={rows} /> },
    { title: 'Created', narrow: 'beside', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ];
  return (
    <Card title="The last that changed" flush>
      <Table
        label="The last backups that changed"
        columns={columns}
        rows={changed.slice(0, SHOWN)}
        rowKey={({ id }) => id}
      />
    </Card>
  );
}
