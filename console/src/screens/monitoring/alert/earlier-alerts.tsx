import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Failure } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { Ago, durationText } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { AlertState } from '../alert-state.js';

type Alert = Schema<'Alert'>;

const SHOWN = 10;

/** How often the same rule was met by the same device before and after. */
export function EarlierAlerts({ alert: { id, deviceId, ruleId } }: { alert: Alert }): ReactNode {
  const { data, error } = useQuery({
    queryKey: KEYS.alerts.before(deviceId, ruleId),
    queryFn: ({ signal }) => {
      const query = { device: deviceId, rule: ruleId, state: 'all' as const, limit: SHOWN + 1 };
      return api.get('/v1/monitoring/alerts', { params: { query }, signal });
    },
  });
  const others = data?.items.filter((one) => one.id !== id).slice(0, SHOWN);
  return (
    <Card title="Other alerts of this rule on this device">
      {error ? <Failure error={error} /> : null}
      {others?.length === 0 && <p className="small quiet">None: it is the only one that is kept.</p>}
      {others && others.length > 0 && (
        <Table label="Other alerts" columns={COLUMNS} rows={others} rowKey={(one) => one.id} />
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<Alert>[] = [
  {
    title: 'Met the rule',
    narrow: 'heading',
    cell: ({ id, matchedAt }) => (
      <To to={`/monitoring/alerts/${id}`}>
        <Ago at={matchedAt} />
      </To>
    ),
  },
  {
    title: 'For',
    narrow: 'line',
    cell: ({ matchedAt, clearedAt, closedAt }) => {
      const end = clearedAt ?? closedAt;
      return end === null ? 'until now' : durationText(Date.parse(end) - Date.parse(matchedAt));
    },
  },
  { title: 'State', narrow: 'beside', cell: (alert) => <AlertState alert={alert} /> },
  {
    title: 'Taken by',
    narrow: 'line',
    cell: ({ acknowledgedByName }) => <span className="foreign cut">{acknowledgedByName ?? '–'}</span>,
  },
];
