import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';

export type Priced = Schema<'PriceMonitoringPolicy'>;

/** What a policy would cost; it is asked again as the form changes. @param of null: nothing can be asked yet */
export function usePrice(of: Priced | null) {
  return useQuery({
    queryKey: KEYS.monitoring.price(of),
    queryFn: ({ signal }) => api.post('/v1/monitoring/policies/price', { body: of!, signal }),
    enabled: of !== null,
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
  });
}

/** The price in sum, and for a device of each model. */
export function PolicyPrice({ price }: { price: ReturnType<typeof usePrice> }): ReactNode {
  if (price.error) return <Failure error={price.error} onRetry={() => void price.refetch()} />;
  if (!price.data) return price.isFetching ? <Loading what="Asking for the price" /> : null;
  const { devices, bytesPerMonth, handshakesPerMonth, loginsPerDay, models } = price.data;
  return (
    <div className="stack" role="status">
      <p>
        <strong>
          {countText(devices, 'device')}: {bytesText(bytesPerMonth)} a month
        </strong>
        <span className="quiet">
          , {countText(handshakesPerMonth, 'handshake')} a month and {countText(loginsPerDay, 'login')} a day in sum.
          The status check goes on where a sample is late.
        </span>
      </p>
      {models.length > 0 && (
        <Table
          label="Price for a device of each model"
          rows={models}
          rowKey={({ model }) => model ?? ''}
          columns={[
            { title: 'Model', cell: ({ model }) => <span className="foreign">{model ?? 'not known yet'}</span> },
            { title: 'Devices', cell: (one) => one.devices.toLocaleString('en'), isNumber: true },
            { title: 'A sample', cell: (one) => bytesText(one.bytesPerSample), isNumber: true },
            { title: 'A month', cell: (one) => bytesText(one.bytesPerMonth), isNumber: true },
            { title: 'Logins a day', cell: (one) => one.loginsPerDay.toLocaleString('en'), isNumber: true },
            {
              title: '',
              cell: (one) =>
                one.isOverBudget ? (
                  <Mark tone="warn">above the budget: less often</Mark>
                ) : (
                  <span className="quiet">{one.isMeasured ? 'measured' : 'estimated'}</span>
                ),
            },
          ]}
        />
      )}
    </div>
  );
}
