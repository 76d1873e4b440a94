import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { loginsText } from '../../../api/limits/logins.js';
import { useMay } from '../../../api/may.js';
import { summaryQuery } from '../../../api/queries.js';
import { Mark } from '../../../ui/mark.js';
import { isShortList } from '../../../ui/rows/list-head.js';
import { Strip } from '../../../ui/rows/strip.js';
import { useNow } from '../../../ui/time.js';
import { timeText } from '../words.js';
import { answeringSelector, perDeviceText, shareText, TURNS } from './collection-figures.js';

type Policy = Schema<'ListedMonitoringPolicy'>;

const priceQuery = ({ selector, everySeconds, metrics, extra, budgetMb, enabled }: Policy) => {
  const body = { selector: selector ?? '', everySeconds, metrics, extra, budgetMb };
  return {
    queryKey: KEYS.monitoring.price(body),
    queryFn: ({ signal }: { signal: AbortSignal }) => api.post('/v1/monitoring/policies/price', { body, signal }),
    enabled: enabled && selector !== null,
    staleTime: 60_000,
  };
};

/** What all collections read now, and what that costs beside the data of the fleet. */
export function CollectionStrip(): ReactNode {
  const now = useNow();
  const policies = useQuery({
    queryKey: KEYS.monitoring.policies,
    queryFn: ({ signal }) => api.get('/v1/monitoring/policies', { signal }),
  });
  const figures = useQuery({
    queryKey: KEYS.figures.all,
    queryFn: ({ signal }) => api.get('/v1/monitoring/figures', { signal }),
    enabled: useMay('device.call_read'),
  }).data;
  const items = policies.data?.items.filter(({ enabled }) => enabled) ?? [];
  const prices = useQueries({ queries: items.map(priceQuery) });
  if (items.length === 0) return null;
  const isPriced = prices.every(({ data }) => data);
  const bytes = prices.reduce((sum, { data }) => sum + (data?.bytesPerMonth ?? 0), 0);
  const logins = prices.reduce((sum, { data }) => sum + (data?.loginsPerDay ?? 0), 0);
  const devices = prices.reduce((sum, { data }) => sum + (data?.devices ?? 0), 0);
  const used = figures?.operators.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <Strip
      label="Collections at a glance"
      isFolded={isShortList({ rows: policies.data?.items ?? [], hasMore: false })}
      of={[
        {
          title: 'Data for polling, a month',
          value: isPriced ? bytesText(bytes) : '–',
          isNoteNeeded: true,
          note: isPriced ? `estimate of all collections, with ${loginsText(logins, devices)}` : 'is asked for',
        },
        ...(used === undefined
          ? []
          : [
              {
                title: 'Mobile data used this month',
                value: bytesText(used),
                note: `of ${countText(figures?.devices ?? 0, 'device')}, as they count it`,
              },
              {
                title: 'Used by polling',
                value: isPriced && used > 0 ? shareText(bytes, used, now) : '–',
                note: 'of that, by the estimate',
              },
            ]),
      ]}
    />
  );
}

/** `23 of 25`: with a sample as new as the rhythm asks for; a device that does not answer is not sampled. */
export function SampledNow({ of: policy }: { of: Policy }): ReactNode {
  const { selector, everySeconds, devices, enabled } = policy;
  const may = useMay('device.read') && enabled && selector !== null && devices > 0;
  const { data } = useQuery({
    ...summaryQuery({ selector: answeringSelector(selector ?? 'all', everySeconds), by: 'state' }),
    enabled: may,
    refetchInterval: 30_000,
  });
  if (!enabled) return <span className="quiet">–</span>;
  if (!may || !data) return numberText(devices);
  return (
    <span title={`Online, with a sample of the last ${timeText(TURNS * everySeconds)}`}>
      {numberText(Math.min(data.devices, devices))} of {numberText(devices)}
    </span>
  );
}

/** What one collection costs in a month, beside its budget. */
export function CostOf({ of: policy }: { of: Policy }): ReactNode {
  const { data } = useQuery(priceQuery(policy));
  const { slowedDevices, enabled, selector } = policy;
  if (!enabled || selector === null) return <span className="quiet">–</span>;
  if (!data) return '…';
  return (
    <>
      {bytesText(data.bytesPerMonth)}
      <span className="small quiet cut">{perDeviceText(data)}</span>
      {slowedDevices > 0 && <Mark tone="warn">{`${numberText(slowedDevices)} sampled less often`}</Mark>}
    </>
  );
}
