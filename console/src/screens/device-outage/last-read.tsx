import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { OfflineCard } from './offline-card.js';
import { TrustCard } from './trust-card.js';
import { pathTitle } from '../observed/path-words.js';
import { SectionLines } from '../observed/section-lines.js';

type Reading = Schema<'DeviceObserved'>['items'][number];

/** In the place of the settings of a device that is not asked, as it does not answer or is not trusted: what watches have last read of it. */
export function LastRead({ device }: { device: Schema<'Device'> }): ReactNode {
  const mayRead = useMay('observed.read');
  const { data } = useQuery({
    queryKey: KEYS.observed.ofDevice(device.id),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/observed', { params: { path: { ref: device.id } }, signal }),
    enabled: mayRead,
  });
  const hasBackups =
    useList('/v1/artifacts', {
      key: KEYS.artifacts.of(device.id),
      query: { kind: 'backup', device: device.id, limit: 1 },
    }).rows.length > 0;
  const readings = (data?.items ?? []).filter(({ digest }) => digest !== null);
  const isStrange = device.state === 'trust_changed';
  const Why = isStrange ? TrustCard : OfflineCard;
  return (
    <div className="stack">
      <Why device={device}>
        Its settings are read from the device itself, when{' '}
        {isStrange ? 'its certificate is accepted' : 'it answers again'}.
        {hasBackups && (
          <>
            {' '}
            <To to="." search={{ tab: 'backups' }}>
              Its backups
            </To>{' '}
            have those of earlier.
          </>
        )}
      </Why>
      {readings.length > 0 && (
        <Card title="Last read by watches" flush>
          <Table label="What watches last read" columns={COLUMNS} rows={readings} rowKey={({ path }) => path} />
        </Card>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Reading>[] = [
  { title: 'What', narrow: 'heading', cell: ({ path }) => <span title={path}>{pathTitle(path)}</span> },
  {
    title: 'Settings',
    narrow: 'block',
    share: 60,
    cell: ({ path, digest }) => <SectionLines path={path} digest={digest!} />,
  },
  { title: 'Read', narrow: 'beside', cell: ({ readAt }) => <Ago at={readAt} /> },
];
