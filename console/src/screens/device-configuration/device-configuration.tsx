import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { useNarrow } from '../../ui/rows/narrow.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { documentQuery } from '../device-api/document.js';
import { BackupDifference } from './backup-difference.js';
import css from './device-configuration.module.css';
import { FirstPanel } from './first/first-panel.js';
import { LastRead } from '../device-outage/last-read.js';
import { ServiceTree } from './service-tree.js';
import { ServiceView } from './service-view.js';
import { serviceAt, servicesOf } from './services.js';

const VIEWS = [
  ['services', 'Settings'],
  ['difference', 'Difference against a backup'],
] as const;

/** The configuration of a device: its settings as forms, and what changed since a backup. */
export function DeviceConfiguration({ device }: { device: Schema<'Device'> }): ReactNode {
  const [{ view }] = useSearchText();
  const current = view === 'difference' ? 'difference' : 'services';
  return (
    <div className="stack">
      <Tabs label="Views of the configuration" param="view" tabs={VIEWS} current={current} />
      {current === 'difference' ? (
        <BackupDifference device={device} />
      ) : device.state === 'offline' || device.state === 'trust_changed' ? (
        <LastRead device={device} />
      ) : (
        <Services device={device} />
      )}
    </div>
  );
}

function Services({ device }: { device: Schema<'Device'> }): ReactNode {
  const isNarrow = useNarrow(); // then the tree is folded above what is chosen
  const [search] = useSearchText();
  const chosen = search['service'] ?? '';
  const { data, error, refetch } = useQuery(documentQuery(device.id));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading what the device offers" />;
  const services = servicesOf(data);
  const service = serviceAt(services, chosen);
  const tree = <ServiceTree deviceId={device.id} services={services} chosen={chosen} />;
  return (
    <div className={css.layout}>
      {isNarrow ? (
        <details key={chosen} className={`card ${css.folded}`}>
          <summary>All settings</summary>
          {tree}
        </details>
      ) : (
        <Card title="Settings">{tree}</Card>
      )}
      {service ? (
        <ServiceView key={`${service.path} ${search['part']}`} device={device} service={service} services={services} />
      ) : (
        <FirstPanel device={device} services={services} />
      )}
    </div>
  );
}
