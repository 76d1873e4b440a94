import { type ReactNode } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { DeviceLink } from '../../../ui/devices/device-link.js';
import { type Column } from '../../../ui/list-table.js';
import { GroupButton, Inside } from '../../../ui/rows/group-button.js';
import { RowActions } from '../../../ui/rows/row-actions.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { alertTexts } from '../alert-cause.js';
import { AlertState } from '../alert-state.js';
import styles from '../monitoring.module.css';
import { SeverityMark } from '../severity.js';
import { type Remedy } from '../shown/remedies.js';
import { QUICK_MUTE } from '../use-quick-mute.js';
import { type AlertGroup, type AlertLine, untakenOf } from './alert-groups.js';

type Alert = Schema<'Alert'>;

interface Acts {
  /** Null: the reader may not. */
  acknowledge: ((alerts: readonly Alert[]) => void) | null;
  mute: ((alert: Alert) => void) | null;
  quick: (alerts: readonly Alert[]) => void;
  /** What helps; null: not known. */
  remedy: (alert: Alert) => Remedy | null;
  /** The devices of a rule now; null: the reader may not see its selector. */
  devicesOf: (ruleId: string) => string | null;
  open: ReadonlySet<string>;
  toggle: (key: string) => void;
}

/** The columns of a list of alerts; those of one rule may be one row, which opens to them. */
export function alertColumns(acts: Acts): readonly Column<AlertLine>[] {
  return columnsOf(acts).map((column): Column<AlertLine> => {
    const { cell, brief, title, ...rest } = column;
    const inGroup = GROUP_CELLS[title === '' ? 'Actions' : title]!;
    const isText = title === 'Alert';
    return {
      ...rest,
      title,
      cell: ({ alert, group, isInside }) => {
        if (group) return inGroup(group, acts);
        return isText && isInside ? <Inside>{cell(alert)}</Inside> : cell(alert);
      },
      ...(brief || title in GROUP_BRIEFS
        ? {
            brief: ({ alert, group }: AlertLine) =>
              group ? (GROUP_BRIEFS[title] ?? inGroup)(group, acts) : (brief ?? cell)(alert),
          }
        : {}),
    };
  });
}

const GROUP_CELLS: Readonly<Record<string, (group: AlertGroup, acts: Acts) => ReactNode>> = {
  Severity: ({ alerts: [first] }) => <SeverityMark severity={first.severity} />,
  Alert: ({ key, alerts }, { open, toggle }) => (
    <GroupButton isOpen={open.has(key)} what="its alerts" onToggle={() => toggle(key)}>
      <span className="foreign">
        {numberText(alerts.length)} × {alerts[0].ruleName}
      </span>
    </GroupButton>
  ),
  Device: ({ alerts }) => {
    const names = alerts.map(({ deviceName }) => deviceName).join(', ');
    return (
      <span className={styles['alert']} title={names}>
        {countText(alerts.length, 'device')}
        <span className={`foreign small quiet ${styles['names']}`}>{names}</span>
      </span>
    );
  },
  Since: ({ alerts }) => <Ago at={alerts.map(({ matchedAt }) => matchedAt).toSorted()[0]} />,
  State: (group) => {
    const untaken = untakenOf(group).length;
    return (
      <span className="quiet">{untaken === 0 ? 'all acknowledged' : `${numberText(untaken)} not acknowledged`}</span>
    );
  },
  Remedy: ({ alerts }, { devicesOf }) => {
    const selector = devicesOf(alerts[0].ruleId);
    if (selector === null) return null;
    return (
      <To to="/devices" search={{ selector }} className={styles['remedy']}>
        Show the devices
      </To>
    );
  },
  Actions: (group, { acknowledge, mute, quick }) => {
    const untaken = untakenOf(group);
    const [{ ruleName }] = group.alerts;
    return (
      <RowActions
        of={`all alerts of ${ruleName}`}
        actions={[
          acknowledge &&
            untaken.length > 0 && {
              text: 'Acknowledge all',
              label: `Acknowledge ${countText(untaken.length, 'alert')} of ${ruleName}`,
              onSelect: () => acknowledge(untaken),
            },
          mute && { text: QUICK_MUTE, onSelect: () => quick(group.alerts) },
        ]}
      />
    );
  },
};

/** On a narrow screen. */
const GROUP_BRIEFS: typeof GROUP_CELLS = {
  Device: ({ alerts }) => countText(alerts.length, 'device'),
  Remedy: (group, { acknowledge, devicesOf }) => {
    const untaken = untakenOf(group);
    const selector = devicesOf(group.alerts[0].ruleId);
    return (
      <span className="row">
        {selector !== null && (
          <To to="/devices" search={{ selector }} className="button">
            Show the devices
          </To>
        )}
        {acknowledge && untaken.length > 0 && (
          <Button
            aria-label={`Acknowledge ${countText(untaken.length, 'alert')} of ${group.alerts[0].ruleName}`}
            onClick={() => acknowledge(untaken)}
          >
            Acknowledge all
          </Button>
        )}
      </span>
    );
  },
};

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
                onSelect: () => acknowledge([alert]),
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
function Narrow({
  alert,
  remedy,
  acknowledge,
}: {
  alert: Alert;
  remedy: Remedy | null;
  acknowledge: Acts['acknowledge'];
}): ReactNode {
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
              onClick={() => acknowledge([alert])}
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
