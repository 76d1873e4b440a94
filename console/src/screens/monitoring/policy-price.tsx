import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Mark } from '../../ui/mark.js';
import { PriceTable } from '../../ui/devices/price-table.js';

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

/** The price of a policy, and which models are above its budget. */
export const PolicyPrice = ({ price }: { price: ReturnType<typeof usePrice> }): ReactNode => (
  <PriceTable
    price={price}
    once={{ title: 'A sample', cell: (one) => bytesText(one.bytesPerSample), isNumber: true }}
    note="The status check goes on where a sample is late."
    remark={({ isOverBudget }) => (isOverBudget ? <Mark tone="warn">above the budget: less often</Mark> : null)}
  />
);
