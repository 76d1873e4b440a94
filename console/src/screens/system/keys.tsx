import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { isRefused } from '../../api/problems.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';

/** The keys that seal stored secrets: their age and what they hold, never the keys themselves. */
export function Keys(): ReactNode {
  const may = useMay('secrets.rotate');
  const { data, error } = useQuery({
    queryKey: KEYS.secrets.all,
    queryFn: ({ signal }) => api.get('/v1/secrets/rotation', { signal }),
    enabled: may,
  });
  if (!may || isRefused(error, 'forbidden')) return null;
  if (!data) return <Card title="Keys of stored secrets">{error ? <Failure error={error} /> : <Loading />}</Card>;
  const sealing = data.keys.filter(({ purpose }) => purpose === 'seal');
  const active = sealing.find((key) => key.active);
  const values = sealing.reduce((sum, key) => sum + key.values, 0);
  return (
    <Card title="Keys of stored secrets">
      <Facts
        of={[
          ['Root key', <code key="root">{active?.rootKeyId ?? data.targetRootKey}</code>],
          ['Sealing key', active ? <Ago key="active" at={active.createdAt} /> : null],
          ['Sealed', `${countText(values, 'value')}, ${active?.values.toLocaleString('en') ?? 0} with the newest key`],
          ['Processes', `${data.holders.ready} of ${data.holders.live} have the newest key`],
          ['Rotation', data.rotation ? data.rotation.phase : 'never'],
        ]}
      />
    </Card>
  );
}
