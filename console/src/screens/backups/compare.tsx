import { type ReactNode, useEffect } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useDeviceName } from '../../api/names/device-names.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button, IconButton } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { idIn } from '../../ui/devices/device-ref.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { compareSearch, firstPair, isChanged, lastChange, newestOfDevices } from './backup-runs.js';
import { DeviceChoice } from './device-choice.js';
import { Difference } from './difference.js';
import { LiveBackup } from './restoring/live-backup.js';
import { Change } from './stored/change.js';
import styles from './backups.module.css';

type Backup = Schema<'Artifact'>;

const SHOWN = 10;

/** Two backups of a device side by side, or one with the device as it is now. */
export function Compare(): ReactNode {
  const [{ device, a, b }, change] = useSearchText();
  const isRemoved = useDeviceName(idIn(device)) === null;
  return (
    <div className="stack">
      <div className={`${filters['filters']} ${styles['compareFilters']}`} role="search">
        <DeviceChoice />
        {device && <Choices key={device} device={device} isRemoved={isRemoved} />}
      </div>
      {isRemoved && (
        <p className="small quiet">This device was removed; its backups are kept, to be compared and downloaded.</p>
      )}
      {device && a && !isRemoved && (
        <LiveBackup deviceId={device} label="Compare with the device now" onMade={(made) => change({ b: made })} />
      )}
      {a && b ? (
        <>
          <Difference a={a} b={b} isDated={device !== undefined} />
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

function Choices({ device, isRemoved }: { device: string; isRemoved: boolean }): ReactNode {
  const [{ a, b }, change] = useSearchText();
  const list = useList('/v1/artifacts', {
    key: KEYS.artifacts.backups,
    query: { kind: 'backup', device, limit: 100 },
  });
  const [newest] = list.rows;
  const first = firstPair(list.rows);
  const [before, after] = [first?.a ?? newest?.id, first?.b];
  const isFirst = !a && !b && before !== undefined;
  useEffect(() => {
    if (isFirst) change({ a: before, b: after });
  }, [isFirst, before, after, change]);
  if (list.isLoading) return <Loading />;
  if (list.error) return <Failure error={list.error} onRetry={list.again} />;
  if (list.rows.length === 0)
    return (
      <div className="stack">
        <span className="quiet">This device has no backups.</span>
        {!isRemoved && <LiveBackup deviceId={device} label="Back up now" onMade={() => undefined} />}
      </div>
    );
  return (
    <>
      <Side label="Before" value={a} rows={list.rows} choose={(id) => change({ a: id })} />
      {a && b && <IconButton icon="swap" label="Swap the sides" onClick={() => change({ a: b, b: a })} />}
      <Side label="After" value={b} rows={list.rows} choose={(id) => change({ b: id })} />
      <Others a={a} b={b} rows={list.rows} />
    </>
  );
}

/** Where both have the same settings: whether others of the device differ, and the way to them. */
function Others({ a, b, rows }: { a: string | undefined; b: string | undefined; rows: readonly Backup[] }): ReactNode {
  const [, change] = useSearchText();
  const pair = lastChange(rows);
  if (!a || !b) return null;
  if (pair === null)
    return (
      rows.length > 1 && <span className="small quiet">{countText(rows.length, 'backup')}, none with a change.</span>
    );
  if (pair.a === a && pair.b === b) return <span className="small quiet">The last that differ.</span>;
  return <Button onClick={() => change(pair)}>Show the last that differ</Button>;
}

interface SideProps {
  label: string;
  value: string | undefined;
  rows: readonly Backup[];
  choose: (id: string | undefined) => void;
}

function Side({ label, value, rows, choose }: SideProps): ReactNode {
  const options = rows.map((backup) => {
    const note = isChanged(backup, rows) ? ' · changed' : '';
    return [backup.id, `${exactText(backup.createdAt)}${note}`] as const;
  });
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

/** The devices that changed last, each with the way to what differs; where none did, the newest backups to begin with. */
function ChangedBackups(): ReactNode {
  const { rows, error, isLoading, again } = useList('/v1/artifacts', {
    key: KEYS.artifacts.backups,
    query: { kind: 'backup' },
    withDevices: true,
  });
  if (error) return <Failure error={error} onRetry={again} />;
  if (isLoading) return <Loading />;
  const changed = newestOfDevices(rows.filter((backup) => isChanged(backup, rows)));
  const hasChange = changed.length > 0;
  const shown = hasChange ? changed : newestOfDevices(rows);
  if (shown.length === 0) return <NoBackups />;
  const title = hasChange ? 'Devices that changed last' : 'The newest backups';
  return (
    <>
      {!hasChange && (
        <p className="small quiet">
          None of the last backups has a change. Compare one with an older one, or with the device as it is now.
        </p>
      )}
      <Card title={title} flush>
        <Table
          label={title}
          columns={columnsOf(rows, hasChange)}
          rows={shown.slice(0, SHOWN)}
          rowKey={({ id }) => id}
        />
      </Card>
    </>
  );
}

/** What has changed is a link to the comparison itself. */
const columnsOf = (rows: readonly Backup[], hasChange: boolean): readonly Column<Backup>[] => [
  { title: 'Device', cell: ({ deviceId }) => deviceId && <DeviceLink id={deviceId} /> },
  { title: 'Against the one before', narrow: 'line', cell: (backup) => <Change of={backup} rows={rows} /> },
  { title: 'Created', narrow: 'beside', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ...(hasChange ? [] : [compareColumn(rows)]),
];

const compareColumn = (rows: readonly Backup[]): Column<Backup> => ({
  title: '',
  cell: (backup) => (
    <RowActions
      of={`the backup of ${exactText(backup.createdAt)}`}
      actions={[{ text: 'Compare', label: 'Compare', to: '/backups', search: compareSearch(backup, rows) }]}
    />
  ),
});

const NoBackups = (): ReactNode => (
  <div className="card">
    <Empty
      title="No backups yet"
      action={
        <To to="/backups" search={{ tab: 'coverage' }} className="button" data-kind="primary">
          Back up devices
        </To>
      }
    >
      Two backups of a device are compared setting by setting, or one with the device as it is now.
    </Empty>
  </div>
);
