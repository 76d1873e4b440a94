import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filters.js';
import { Empty } from '../../ui/messages.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { To, useSearchText } from '../../ui/to.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { AlertTable } from './alert/alert-table.js';
import { ToldLine } from './rule/told.js';
import { AlertStrip } from './shown/alert-strip.js';
import { SEVERITIES } from './severity.js';

type Alert = Schema<'Alert'>;

const STATES = [
  ['pending', 'Not open yet'],
  ['closed', 'Closed'],
  ['all', 'All'],
] as const;

/** Devices that meet a rule. */
export function Alerts(): ReactNode {
  const [{ state, severity, rule, device }, change] = useSearchText();
  const list = useList('/v1/monitoring/alerts', { key: KEYS.alerts.all, query: { state, severity, rule, device } });
  const isNarrowed = Boolean(state ?? severity ?? rule ?? device);
  const clear = () =>
    change({ state: undefined, severity: undefined, rule: undefined, device: undefined, pages: undefined });
  return (
    <div className="stack">
      <ListHead list={list} isNarrowed={isNarrowed} figures={(isFolded) => <AlertStrip isFolded={isFolded} />}>
        <SelectFilter label="State" param="state" none="Open" options={STATES} />
        <SelectFilter label="Severity" param="severity" options={SEVERITIES} />
        <DeviceFilter />
        {isNarrowed && <Button onClick={clear}>Clear filters</Button>}
      </ListHead>
      <ToldLine />
      <AlertTable
        label="Alerts"
        // Together are those that are open now: of past ones the order tells more.
        list={state === undefined ? { ...list, rows: bySeverity(list.rows) } : list}
        isJoined={state === undefined}
        empty={<NoAlerts isNarrowed={isNarrowed} />}
      />
    </div>
  );
}

const SEVERITY = { critical: 0, warning: 1, info: 2 } as const;

/** Open ones: the most severe first, and of those the newest. */
const bySeverity = (alerts: readonly Alert[]): readonly Alert[] =>
  alerts.toSorted((a, b) => SEVERITY[a.severity] - SEVERITY[b.severity]);

function NoAlerts({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No alert matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No alert is open" command="fleetgate alert list --state all">
      A{' '}
      <To to="/monitoring" search={{ tab: 'rules' }}>
        rule
      </To>{' '}
      opens one for each device that meets it for long enough.
    </Empty>
  );
}
