import { type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { loginsText } from '../../api/limits/logins.js';
import { type Column, Table } from '../list-table.js';
import { Failure, Loading } from '../messages.js';

/** What a device of one model costs. */
interface ModelPrice {
  readonly model: string | null;
  readonly devices: number;
  readonly bytesPerMonth: number;
  readonly loginsPerDay: number;
  readonly isMeasured: boolean;
}

interface Price<Model> {
  readonly devices: number;
  readonly bytesPerMonth: number;
  readonly handshakesPerMonth: number;
  readonly loginsPerDay: number;
  readonly models: readonly Model[];
}

interface PriceTableProps<Model> {
  readonly price: UseQueryResult<Price<Model>>;
  /** The price of one reading, such as "A sample". */
  readonly once: Column<Model>;
  /** A sentence after the sum. */
  readonly note: string;
  /** What is said of a model in the place of whether it was measured; null: nothing. */
  readonly remark?: (model: Model) => ReactNode;
}

/** What background reads would cost: in sum, and for a device of each model. */
export function PriceTable<Model extends ModelPrice>(props: PriceTableProps<Model>): ReactNode {
  const { price, once, note, remark = () => null } = props;
  if (price.error) return <Failure error={price.error} onRetry={() => void price.refetch()} />;
  if (!price.data) return price.isFetching ? <Loading what="Asking for the price" /> : null;
  const { devices, bytesPerMonth, handshakesPerMonth, loginsPerDay, models } = price.data;
  const measured = ({ isMeasured }: Model) => <span className="quiet">{isMeasured ? 'measured' : 'estimated'}</span>;
  return (
    <div className="stack" role="status">
      <p>
        <strong>
          {countText(devices, 'device')}: {bytesText(bytesPerMonth)} a month
        </strong>
        <span className="quiet">. {note}</span>
      </p>
      <details className="small quiet">
        <summary>Handshakes and logins</summary>
        {countText(handshakesPerMonth, 'handshake')} a month, and {loginsText(loginsPerDay, devices)}.
      </details>
      {models.length > 0 && (
        <Table
          label="Price for a device of each model"
          rows={models}
          rowKey={({ model }) => model ?? ''}
          columns={[
            { title: 'Model', cell: ({ model }) => <span className="foreign">{model ?? 'not known yet'}</span> },
            {
              title: 'Devices',
              cell: (one) => numberText(one.devices),
              brief: (one) => countText(one.devices, 'device'),
              isNumber: true,
            },
            once,
            {
              title: 'A month',
              cell: (one) => bytesText(one.bytesPerMonth),
              brief: (one) => `${bytesText(one.bytesPerMonth)} a month`,
              isNumber: true,
            },
            { title: 'Logins a day', cell: (one) => numberText(one.loginsPerDay), isNumber: true },
            { title: '', cell: (one) => remark(one) ?? measured(one) },
          ]}
        />
      )}
    </div>
  );
}
