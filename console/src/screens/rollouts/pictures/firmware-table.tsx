import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Table } from '../../../ui/list-table.js';
import { countText } from '../../../api/amount-text.js';
import { Ago } from '../../../ui/time.js';
import { type FirmwareRow, firmwareRows, wantedOf } from './firmware-rows.js';
import styles from './pictures.module.css';

interface FirmwareTableProps {
  /** Of the plan: only devices that take part. */
  lines: Schema<'RolloutPlan'>['firmware'];
  spec: Readonly<Record<string, unknown>>;
  images: readonly Schema<'Artifact'>[];
}

/** Which models take part, what each runs now, and what it gets. */
export function FirmwareTable({ lines, spec, images }: FirmwareTableProps): ReactNode {
  if (lines.length === 0) return null;
  const rows = firmwareRows(lines, wantedOf(spec, images));
  return (
    <Table label="Firmware by model" columns={COLUMNS} rows={rows} rowKey={({ model, now }) => `${model} ${now}`} />
  );
}

const COLUMNS = [
  { title: 'Model', cell: ({ model }: FirmwareRow) => <span className={styles['model']}>{model}</span> },
  {
    title: 'Current version',
    cell: ({ now }: FirmwareRow) => <span className="foreign">{now}</span>,
    brief: ({ now, gets }: FirmwareRow) => `${now} → ${gets}`,
  },
  {
    title: 'New version',
    cell: ({ gets, isSame, seenAt }: FirmwareRow) => (
      <span className={isSame ? 'foreign quiet' : 'foreign'}>
        {gets}
        {seenAt && (
          <span className="small quiet" title="The newest of the vendor, as a device of this model was last offered it">
            {' '}
            · offered <Ago at={seenAt} />
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Devices',
    narrow: 'beside' as const,
    cell: ({ devices }: FirmwareRow) => devices.toLocaleString('en'),
    brief: ({ devices }: FirmwareRow) => countText(devices, 'device'),
    isNumber: true,
  },
];
