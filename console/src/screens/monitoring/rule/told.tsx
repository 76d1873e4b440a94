import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { Mark } from '../../../ui/mark.js';
import { To } from '../../../ui/to.js';

type Webhook = Schema<'Webhook'>;

const OF_ALERTS = /^(?:rule\.notified|rule\.\*|alert\.(?:\*|opened))$/;

/** Whether a webhook tells of alerts now. */
const tells = ({ types, enabled, orphaned, quarantinedAt, format, confirmedAt }: Webhook): boolean =>
  enabled &&
  !orphaned &&
  quarantinedAt === null &&
  (format !== 'mail' || confirmedAt !== null) &&
  types.some((type) => OF_ALERTS.test(type));

/** The receivers of alerts by their names; null: the caller may not see them, undefined: they are still read. */
function useTold(): readonly string[] | null | undefined {
  const may = useMay('webhook.manage');
  const maySettings = useMay('system.read');
  const webhooks = useQuery({
    queryKey: KEYS.webhooks.all,
    queryFn: ({ signal }) => api.get('/v1/webhooks', { signal }),
    enabled: may,
  });
  const names = webhooks.data?.items.filter(tells).map(({ name }) => name);
  // An Alertmanager gets all alerts, and is no webhook.
  const settings = useQuery({
    queryKey: KEYS.settings.all,
    queryFn: ({ signal }) => api.get('/v1/system/settings', { signal }),
    enabled: maySettings && names?.length === 0,
  });
  if (!may || webhooks.error) return null;
  if (!names || names.length > 0 || !maySettings || settings.error) return names;
  if (!settings.data) return undefined;
  const isSet = settings.data.items.some(({ name, source }) => name === 'ALERTMANAGER_URL' && source === 'set');
  return isSet ? ['Alertmanager'] : names;
}

/** Who is told of an alert, in a line. Its height is there before its text is. */
export function ToldLine(): ReactNode {
  const names = useTold();
  if (names === null) return null;
  if (names === undefined) return <p className="small quiet">Told of alerts: …</p>;
  if (names.length > 0) return <p className="small quiet foreign">Told of alerts: {names.join(', ')}</p>;
  return (
    <p className="small">
      <Mark tone="warn">Nobody is told of alerts yet.</Mark>{' '}
      <To to="/system" search={{ tab: 'webhooks' }}>
        Add a webhook
      </To>
    </p>
  );
}
