import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filters.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { To, useSearchText } from '../../ui/to.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { useOpenGroups } from '../../ui/rows/group-button.js';
import { Acknowledge } from './acknowledge.js';
import { alertColumns } from './alert/alert-columns.js';
import { alertLines, type AlertLine } from './alert/alert-groups.js';
import { MuteForm } from './mute-form.js';
import { ToldLine } from './rule/told.js';
import { AlertStrip } from './shown/alert-strip.js';
import { remedyOf } from './shown/remedies.js';
import { rulesQuery } from './shown/rules-query.js';
import { SEVERITIES } from './severity.js';
import { useQuickMute } from './use-quick-mute.js';

type Alert = Schema<'Alert'>;

const STATES = [
  ['pending', 'Not open yet'],
  ['closed', 'Closed'],
  ['all', 'All'],
] as const;

/** Devices that meet a rule. */
export function Alerts(): ReactNode {
  const [{ state, severity, rule, device }, change] = useSearchText();
  const mayAcknowledge = useMay('alert.acknowledge');
  const mayMute = useMay('monitoring.manage');
  const [acknowledged, setAcknowledged] = useState<readonly Alert[] | null>(null);
  const [muted, setMuted] = useState<Alert | null>(null);
  const quick = useQuickMute();
  const list = useList('/v1/monitoring/alerts', { key: KEYS.alerts.all, query: { state, severity, rule, device } });
  const rules = useQuery({ ...rulesQuery, enabled: useMay('monitoring.read') }).data?.items ?? [];
  const selectors = new Map(rules.map(({ id, selector }) => [id, selector]));
  const [open, toggle] = useOpenGroups();
  // Together are those that are open now: of past ones the order tells more.
  const rows =
    state === undefined
      ? alertLines(bySeverity(list.rows), open)
      : list.rows.map((alert): AlertLine => ({ key: alert.id, alert, group: null, isInside: false }));
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
      <ListTable
        label="Alerts"
        list={{ ...list, rows }}
        columns={alertColumns({
          acknowledge: mayAcknowledge ? setAcknowledged : null,
          mute: mayMute ? setMuted : null,
          quick: quick.mutate,
          remedy: ({ ruleId, deviceId }) => remedyOf(selectors.get(ruleId), deviceId),
          devicesOf: (ruleId) => selectors.get(ruleId) ?? null,
          open,
          toggle,
        })}
        rowKey={({ key }) => key}
        empty={<NoAlerts isNarrowed={isNarrowed} />}
      />
      {acknowledged && <Acknowledge alerts={acknowledged} onClose={() => setAcknowledged(null)} />}
      {muted && <MuteForm alert={muted} onClose={() => setMuted(null)} />}
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
