import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { PriceTable } from '../../ui/devices/price-table.js';

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

/** The price of a watch. */
export const WatchPrice = ({ price }: { price: ReturnType<typeof usePrice> }): ReactNode => (
  <PriceTable
    price={price}
    once={{ title: 'A pass', cell: (one) => bytesText(one.bytesPerPass), isNumber: true }}
    note="It counts against the budget of the policies that sample these devices."
  />
);
