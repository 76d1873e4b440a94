import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode, Suspense } from 'react';
import { type Schema } from '../../api/client.js';
import { firmwareParts } from '../../api/device-texts.js';
import { isRefused } from '../../api/problems.js';
import { deviceQuery } from '../../api/queries.js';
import { useRecent } from '../../shell/palette/use-recent.js';
import { useDeviceLocks } from '../../ui/devices/device-locks.js';
import { refOf } from '../../ui/devices/device-ref.js';
import { LockMark } from '../../ui/devices/lock-mark.js';
import { StateMark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { DeviceActions } from './device-actions.js';
import { Findings } from './findings/findings.js';
import styles from './findings/findings.module.css';
import { NoSuchDevice } from './no-such-device.js';
import { tabAt, TABS } from './tabs.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

/** One device. Its tabs are chunks of their own. */
export function DeviceScreen(): ReactNode {
  const { ref = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(deviceQuery(refOf(ref) ?? ref));
  if (data) return <Loaded device={data} />;
  if (isRefused(error, 'device_not_found')) return <NoSuchDevice address={ref} />;
  return (
    <Page title="Device">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}</Page>
  );
}

function Loaded({ device }: { device: Schema<'Device'> }): ReactNode {
  const [search] = useSearchText();
  useRecent(device.name, `/devices/${device.id}`);
  const locks = useDeviceLocks(device.id);
  const current = tabAt(search['tab']);
  if (!current) return null;
  const { component: Tab } = current;
  const own = locks.find(({ kind }) => kind !== 'writes');
  return (
    <Page
      title={device.name}
      beside={
        <span className="row">
          {own && <LockMark reason={own.reason} />}
          <StateMark state={device.state} />
        </span>
      }
      actions={<DeviceActions device={device} />}
    >
      <div className={styles['head']}>
        <p className="foreign quiet">
          <Identity of={device} />
        </p>
        <Findings key={device.id} device={device} locks={locks} />
      </div>
      <Tabs
        label="Parts of the device"
        tabs={TABS.map(({ key, label }) => [key, label] as const)}
        current={current.key}
      />
      <Suspense fallback={<AwaitedCards />}>
        <Tab device={device} />
      </Suspense>
    </Page>
  );
}

/** What it is, in a line. */
function Identity({ of: { model, firmware, serial, site } }: { of: Schema<'Device'> }): ReactNode {
  const version = firmware && <span title={firmware}>{firmwareParts(firmware).version}</span>;
  const known = [model, version, serial, site].filter(Boolean);
  if (known.length === 0) return 'Not identified yet: the gateway has not reached it.';
  return known.map((one, at) => (
    <Fragment key={at}>
      {at > 0 && ' · '}
      {one}
    </Fragment>
  ));
}
