import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { summaryQuery } from '../../api/queries.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { countsByVersion, type FirmwareCount, selectorOf } from './firmware-counts.js';
import styles from './artifacts.module.css';

/** Older versions than these are joined. */
const SHOWN = 5;

/** What the fleet runs, by version: a bar for each, which opens its devices. */
export function FleetFirmware(): ReactNode {
  const { data, error, refetch } = useQuery(summaryQuery({ by: 'firmware' }));
  const counts = countsByVersion(data?.groups[0]?.values ?? []);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data && counts.length === 0) return null;
  const known = counts.reduce((sum, { devices }) => sum + devices, 0);
  const older = counts.slice(SHOWN);
  return (
    <Card title="What the fleet runs">
      <ul className={styles['versions']} aria-label="Devices by firmware" aria-busy={!data}>
        {data ? (
          counts
            .slice(0, SHOWN)
            .map((one, at) => <Version key={one.version} of={one} all={known} isNewest={at === 0} />)
        ) : (
          <li>
            <span className="awaited" />
          </li>
        )}
      </ul>
      {older.length > 0 && (
        <p className="small quiet">
          {countText(
            older.reduce((sum, { devices }) => sum + devices, 0),
            'device',
          )}{' '}
          with {countText(older.length, 'older version')}
        </p>
      )}
    </Card>
  );
}

function Version({ of, all, isNewest }: { of: FirmwareCount; all: number; isNewest: boolean }): ReactNode {
  const { version, devices, families } = of;
  return (
    <li>
      <To to="/devices" search={{ selector: selectorOf(of) }} className="foreign cut" title={version}>
        {version}
      </To>
      <span className="bar" aria-hidden="true">
        <i data-tone={isNewest ? 'good' : undefined} style={{ width: `${(100 * devices) / all}%` }} />
      </span>
      <span className={styles['amount']}>{countText(devices, 'device')}</span>
      <span className="quiet foreign cut" title={families.join(', ')}>
        {isNewest && <span>newest · </span>}
        {families.join(', ')}
      </span>
    </li>
  );
}
