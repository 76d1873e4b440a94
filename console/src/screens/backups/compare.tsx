import { type ReactNode, useEffect } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { exactText } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { DeviceChoice } from './device-choice.js';
import { Difference } from './difference.js';
import { LiveBackup } from './live-backup.js';
import styles from './backups.module.css';

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
          <Difference a={a} b={b} />
          <EquivalentLines
            command={`backup diff --a ${a} --b ${b}`}
            method="GET"
            path={`/v1/backups/diff?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`}
          />
        </>
      ) : (
        <div className="card">
          <Empty
            title="Choose what to compare"
            command="fleetgate backup diff --a name:pump-1 --b 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"
          >
            Choose a device: its two newest backups are compared first. Others, or the device as it is now, can be
            chosen then.
          </Empty>
        </div>
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
  const [newest, before] = list.rows;
  const isFirst = !a && !b && newest !== undefined && before !== undefined;
  useEffect(() => {
    if (isFirst) change({ a: before.id, b: newest.id });
  }, [isFirst, before, newest, change]);
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
