import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { deviceQuery } from '../../../api/queries.js';
import { Failure } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { To } from '../../../ui/to.js';
import { EventList } from '../../device-values/event-list.js';
import { useEvents } from '../../device-values/happened.js';
import { ValueHistory } from '../../device-values/value-history.js';
import { type Metric, sampleQuery } from '../../device/device-queries.js';
import { limitOf } from './limit.js';

type Alert = Schema<'Alert'>;

const HOUR_MS = 3_600_000;

/** The value of a rule that has a history, by its name in selectors. */
const METRICS: Readonly<Partial<Record<Alert['values'][number]['name'], Metric>>> = {
  rssi: 'rssi',
  rsrp: 'rsrp',
  rsrq: 'rsrq',
  sinr: 'sinr',
  temperature: 'temperature',
  load: 'load1',
  uptime: 'uptimeSeconds',
  'memory.free': 'memoryFree',
  'flash.free': 'flashFree',
  'data.day': 'dataDay',
  'data.month': 'dataMonth',
  'data.plan': 'dataMonth',
};

interface AlertDeviceProps {
  alert: Alert;
  /** Of its rule; null and undefined: the reader may not see it. */
  selector: string | null | undefined;
}

/** The value over time, where the rule compares one that is kept, and what happened on the device within an hour of the alert. */
export function AlertDevice({ alert, selector }: AlertDeviceProps): ReactNode {
  const metric = alert.values.map(({ name }) => METRICS[name]).find((one) => one !== undefined);
  return (
    <>
      {metric && <ValueOverTime alert={alert} limit={limitOf(selector)} metric={metric} />}
      <AroundIt alert={alert} />
    </>
  );
}

interface ValueProps {
  alert: Alert;
  metric: Metric;
  limit: number | undefined;
}

function ValueOverTime({ alert: { deviceId, openedAt }, metric, limit }: ValueProps): ReactNode {
  const { data: device } = useQuery(deviceQuery(deviceId));
  const { data } = useQuery({ ...sampleQuery(deviceId), enabled: useMay('device.call_read') });
  if (!device || !data?.sample) return null;
  return (
    <ValueHistory
      device={device}
      first={metric}
      alert={{ limit, openedAt: openedAt === null ? null : Date.parse(openedAt) }}
      isBrief
      everySeconds={data.sampling?.intervalSeconds ?? 0}
    />
  );
}

function AroundIt({ alert: { deviceId, matchedAt } }: { alert: Alert }): ReactNode {
  const { events, changes, error } = useEvents(deviceId);
  const begun = Date.parse(matchedAt);
  const around = events.filter(({ at }) => Math.abs(at - begun) <= HOUR_MS);
  return (
    <Card
      title="What happened within an hour of it"
      beside={
        <To to={`/devices/${deviceId}`} search={{ tab: 'audit' }}>
          Audit of the device
        </To>
      }
    >
      {error ? (
        <Failure error={error} />
      ) : (
        changes && <EventList label="What happened within an hour of it" events={around} />
      )}
    </Card>
  );
}
