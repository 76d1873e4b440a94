import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { Table } from '../../ui/list-table.js';
import { Failure, Loading } from '../../ui/messages.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** What a watch would cost; it is asked again as the form changes. @param of null: nothing can be asked yet */
export function usePrice(of: Schema<'PriceWatch'> | null) {
  return useQuery({
    queryKey: KEYS.watches.price(of),
    queryFn: ({ signal }) => api.post('/v1/watches/price', { body: of!, signal }),
    enabled: of !== null,
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
  });
}

/** The price in sum, and for a device of each model. */
export function WatchPrice({ price }: { price: ReturnType<typeof usePrice> }): ReactNode {
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
          , {countText(handshakesPerMonth, 'handshake')} a month and {countText(loginsPerDay, 'login')} a day in sum. It
          counts against the budget of the policies that sample these devices.
        </span>
      </p>
      {models.length > 0 && (
        <Table
          label="Price for a device of each model"
          rows={models}
          rowKey={({ model }) => model ?? ''}
          columns={[
            { title: 'Model', cell: ({ model }) => <span className="foreign">{model ?? 'not known yet'}</span> },
            { title: 'Devices', cell: (one) => numberText(one.devices), isNumber: true },
            { title: 'A pass', cell: (one) => bytesText(one.bytesPerPass), isNumber: true },
            { title: 'A month', cell: (one) => bytesText(one.bytesPerMonth), isNumber: true },
            { title: 'Logins a day', cell: (one) => numberText(one.loginsPerDay), isNumber: true },
            { title: '', cell: (one) => <span className="quiet">{one.isMeasured ? 'measured' : 'estimated'}</span> },
          ]}
        />
      )}
    </div>
  );
}
