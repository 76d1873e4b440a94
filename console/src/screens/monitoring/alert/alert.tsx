import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { isRefused } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { DeviceLink } from '../../../ui/devices/device-link.js';
import { stateText } from '../../../ui/mark.js';
import { Empty, Failure } from '../../../ui/messages.js';
import { Card, Facts, Page } from '../../../ui/page.js';
import { RowMenu } from '../../../ui/row-menu.js';
import { AwaitedCards } from '../../../ui/rows/awaited.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { Acknowledge } from '../acknowledge.js';
import { alertTexts } from '../alert-cause.js';
import { AlertState } from '../alert-state.js';
import { MuteForm } from '../mute-form.js';
import { SeverityMark } from '../severity.js';
import { remedyOf } from '../shown/remedies.js';
import { rulesQuery } from '../shown/rules-query.js';
import { selectorWords } from '../shown/selector-words.js';
import { QUICK_MUTE, useQuickMute } from '../use-quick-mute.js';
import { timeText } from '../words.js';
import { AlertCourse } from './alert-course.js';
import { AlertDevice } from './alert-device.js';
import { EarlierAlerts } from './earlier-alerts.js';

type Alert = Schema<'Alert'>;

const alertQuery = (alertId: string) =>
  queryOptions({
    queryKey: KEYS.alerts.one(alertId),
    queryFn: ({ signal }) => api.get('/v1/monitoring/alerts/{alertId}', { params: { path: { alertId } }, signal }),
  });

/** One alert: what is so, since when, who takes care, and what else happened on the device. */
export function AlertScreen(): ReactNode {
  const { alertId = '' } = useParams({ strict: false }) as { alertId?: string };
  const { data, error, refetch } = useQuery(alertQuery(alertId));
  if (data) return <Loaded key={data.id} alert={data} />;
  if (isRefused(error, 'alert_not_found')) return <NoSuchAlert />;
  return (
    <Page title="Alert">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}</Page>
  );
}

function NoSuchAlert(): ReactNode {
  return (
    <Page title="There is no such alert">
      <div className="card">
        <Empty title="No alert has this address" action={<To to="/monitoring">All alerts</To>}>
          Its rule or its device was removed, or you may not see the device.
        </Empty>
      </div>
    </Page>
  );
}

function Loaded({ alert }: { alert: Alert }): ReactNode {
  const { title } = alertTexts(alert);
  const rules = useQuery({ ...rulesQuery, enabled: useMay('monitoring.read') }).data?.items;
  const rule = rules?.find(({ id }) => id === alert.ruleId);
  return (
    <Page
      title={`${title} · ${alert.deviceName}`}
      beside={
        <span className="row">
          <SeverityMark severity={alert.severity} />
          <AlertState alert={alert} />
        </span>
      }
      actions={<Actions alert={alert} selector={rule?.selector} />}
    >
      <div className="columns">
        <Card title="What is so">
          <AboutAlert alert={alert} rule={rule} />
        </Card>
        <Card title="Its course">
          <AlertCourse alert={alert} rule={rule} />
        </Card>
      </div>
      <AlertDevice alert={alert} selector={rule?.selector} />
      <EarlierAlerts alert={alert} />
    </Page>
  );
}

function Actions({ alert, selector }: { alert: Alert; selector: string | null | undefined }): ReactNode {
  const [open, setOpen] = useState<'acknowledge' | 'mute' | null>(null);
  const mayAcknowledge = useMay('alert.acknowledge') && alert.state === 'open' && alert.acknowledgedAt === null;
  const mayMute = useMay('monitoring.manage') && alert.state === 'open';
  const quick = useQuickMute();
  const remedy = remedyOf(selector, alert.deviceId);
  const close = () => setOpen(null);
  return (
    <>
      {remedy && (
        <To to={remedy.to} search={remedy.search} className="button" data-kind="primary">
          {remedy.text}
        </To>
      )}
      {mayAcknowledge && <Button onClick={() => setOpen('acknowledge')}>Acknowledge</Button>}
      <RowMenu
        of={`${alert.ruleName} of ${alert.deviceName}`}
        actions={[
          mayMute && { text: QUICK_MUTE, onSelect: () => quick.mutate([alert]) },
          mayMute && { text: 'Mute …', onSelect: () => setOpen('mute') },
          { text: 'All alerts of this rule', to: '/monitoring', search: { rule: alert.ruleId, state: 'all' } },
        ]}
      />
      {open === 'acknowledge' && <Acknowledge alerts={[alert]} onClose={close} />}
      {open === 'mute' && <MuteForm alert={alert} onClose={close} />}
    </>
  );
}

function AboutAlert({ alert, rule }: { alert: Alert; rule: Schema<'AlertRule'> | undefined }): ReactNode {
  const { title, about } = alertTexts(alert);
  const now = title === alert.ruleName ? about : title;
  const selector = rule?.selector;
  const words = selector ? selectorWords(selector, stateText) : null;
  return (
    <Facts
      of={[
        ['Device', <DeviceLink key="device" id={alert.deviceId} />],
        ...(now === alert.ruleNote ? [] : [['Now', now] as const]),
        [
          'Rule',
          <To key="rule" to="/monitoring" search={{ tab: 'rules' }}>
            {alert.ruleName}
          </To>,
        ],
        ...(selector
          ? ([
              ...(words === alert.ruleName
                ? []
                : ([['It looks for', words ?? <code key="selector">{selector}</code>]] as const)),
              ['It opens', rule.forSeconds === 0 ? 'at once' : `after ${timeText(rule.forSeconds)}`],
            ] as const)
          : []),
        ['Since', <Ago key="since" at={alert.matchedAt} />],
        ...(alert.ruleNote === '' ? [] : [['What to do', alert.ruleNote] as const]),
      ]}
    />
  );
}
