import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { To, useSearchText } from '../../ui/to.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { Acknowledge } from './acknowledge.js';
import { alertTexts } from './alert-cause.js';
import { AlertState } from './alert-state.js';
import { MuteForm } from './mute-form.js';
import styles from './monitoring.module.css';
import { ToldLine } from './rule/told.js';
import { AlertStrip } from './shown/alert-strip.js';
import { type Remedy, remedyOf } from './shown/remedies.js';
import { rulesQuery } from './shown/rules-query.js';
import { SEVERITIES, SeverityMark } from './severity.js';
import { QUICK_MUTE, useQuickMute } from './use-quick-mute.js';

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
  const [acknowledged, setAcknowledged] = useState<Alert | null>(null);
  const [muted, setMuted] = useState<Alert | null>(null);
  const quick = useQuickMute();
  const list = useList('/v1/monitoring/alerts', { key: KEYS.alerts.all, query: { state, severity, rule, device } });
  const rules = useQuery({ ...rulesQuery, enabled: useMay('monitoring.read') }).data?.items ?? [];
  const selectors = new Map(rules.map(({ id, selector }) => [id, selector]));
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
        list={state === undefined ? { ...list, rows: bySeverity(list.rows) } : list}
        columns={columnsOf({
          acknowledge: mayAcknowledge ? setAcknowledged : null,
          mute: mayMute ? setMuted : null,
          quick: quick.mutate,
          remedy: ({ ruleId, deviceId }) => remedyOf(selectors.get(ruleId), deviceId),
        })}
        rowKey={({ id }) => id}
        empty={<NoAlerts isNarrowed={isNarrowed} />}
      />
      {acknowledged && <Acknowledge alert={acknowledged} onClose={() => setAcknowledged(null)} />}
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

type Act = ((alert: Alert) => void) | null;

interface Acts {
  acknowledge: Act;
  mute: Act;
  quick: (alerts: readonly Alert[]) => void;
  /** What helps; null: not known. */
  remedy: (alert: Alert) => Remedy | null;
}

const columnsOf = ({ acknowledge, mute, quick, remedy }: Acts): readonly Column<Alert>[] => [
  { title: 'Severity', narrow: 'beside', cell: ({ severity }) => <SeverityMark severity={severity} /> },
  {
    title: 'Alert',
    narrow: 'heading',
    cell: (alert) => <AlertText alert={alert} />,
    brief: (alert) => (
      <To to={`/monitoring/alerts/${alert.id}`} className="foreign">
        {alertTexts(alert).title}
      </To>
    ),
  },
  { title: 'Device', narrow: 'line', cell: ({ deviceId }) => <DeviceLink id={deviceId} /> },
  { title: 'Since', narrow: 'line', cell: ({ matchedAt }) => <Ago at={matchedAt} /> },
  {
    title: 'State',
    brief: ({ acknowledgedByName }) => acknowledgedByName && `taken by ${acknowledgedByName}`,
    cell: (alert) => (
      <span className={styles['alert']}>
        <AlertState alert={alert} />
        <span className={`foreign small quiet ${alert.acknowledgedByName ? '' : styles['taken']}`}>
          {[alert.acknowledgedByName ?? 'not acknowledged', alert.acknowledgement].filter(Boolean).join(': ')}
        </span>
      </span>
    ),
  },
  {
    title: 'Remedy',
    narrow: 'block',
    cell: (alert) => <Help of={remedy(alert)} />,
    brief: (alert) => <Narrow alert={alert} remedy={remedy(alert)} acknowledge={acknowledge} />,
  },
  {
    title: '',
    cell: (alert) =>
      alert.state === 'open' && (
        <RowActions
          of={`${alert.ruleName} of ${alert.deviceName}`}
          actions={[
            acknowledge &&
              alert.acknowledgedAt === null && {
                text: 'Acknowledge',
                label: `Acknowledge ${alert.ruleName} of ${alert.deviceName}`,
                onSelect: () => acknowledge(alert),
              },
            mute && { text: QUICK_MUTE, onSelect: () => quick([alert]) },
            mute && { text: 'Mute …', onSelect: () => mute(alert) },
          ]}
        />
      ),
  },
];

function Help({ of }: { of: Remedy | null }): ReactNode {
  if (of === null) return <span className="quiet">–</span>;
  return (
    <To to={of.to} search={of.search} className={styles['remedy']}>
      {of.text}
    </To>
  );
}

/** On a narrow screen: the whole cause, what helps as a button, and that somebody takes it. */
function Narrow({ alert, remedy, acknowledge }: { alert: Alert; remedy: Remedy | null; acknowledge: Act }): ReactNode {
  const { about: cause } = alertTexts(alert);
  const canTake = acknowledge && alert.state === 'open' && alert.acknowledgedAt === null;
  return (
    <span className="stack">
      {cause && <span className="foreign quiet">{cause}</span>}
      {(remedy ?? canTake) && (
        <span className="row">
          {remedy && (
            <To to={remedy.to} search={remedy.search} className="button">
              {remedy.text}
            </To>
          )}
          {canTake && (
            <Button
              aria-label={`Acknowledge ${alert.ruleName} of ${alert.deviceName}`}
              onClick={() => acknowledge(alert)}
            >
              Acknowledge
            </Button>
          )}
        </span>
      )}
    </span>
  );
}

/** The rule, and below it the value, the cause or what to do. */
function AlertText({ alert }: { alert: Alert }): ReactNode {
  const { title, about } = alertTexts(alert);
  return (
    <span className={styles['alert']}>
      <To to={`/monitoring/alerts/${alert.id}`} className="foreign">
        <strong>{title}</strong>
      </To>
      {about && (
        <span className="foreign small quiet" title={alert.ruleNote || undefined}>
          {about}
        </span>
      )}
    </span>
  );
}
