import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { Table } from '../../../ui/list-table.js';
import { type FirmwareRow, firmwareRows, type WantedFirmware } from './firmware-rows.js';

/** The models and versions of more devices are not counted: the answer would be slow. */
const DEVICES_MAX = 1_000;

interface FirmwareTableProps {
  selector: string;
  spec: Readonly<Record<string, unknown>>;
  images: readonly Schema<'Artifact'>[];
}

/** Which models are among the devices, what each runs now, and what it gets. */
export function FirmwareTable({ selector, spec, images }: FirmwareTableProps): ReactNode {
  const { data } = useQuery({
    queryKey: ['devices', 'firmware', selector],
    queryFn: ({ signal }) => api.get('/v1/devices', { params: { query: { selector, limit: DEVICES_MAX } }, signal }),
    placeholderData: (before) => before,
  });
  if (!data || data.items.length === 0) return null;
  const rows = firmwareRows(data.items, wantedOf(spec, images));
  return (
    <>
      <Table label="Firmware by model" columns={COLUMNS} rows={rows} rowKey={({ model, now }) => `${model} ${now}`} />
      {data.next !== null && <p className="small quiet">Of the first {countText(DEVICES_MAX, 'device')} that match.</p>}
    </>
  );
}

const COLUMNS = [
  { title: 'Model', cell: ({ model }: FirmwareRow) => <span className="foreign">{model}</span> },
  { title: 'Runs now', cell: ({ now }: FirmwareRow) => <span className="foreign">{now}</span> },
  {
    title: 'Gets',
    cell: ({ gets, isSame }: FirmwareRow) => <span className={isSame ? 'foreign quiet' : 'foreign'}>{gets}</span>,
  },
  { title: 'Devices', cell: ({ devices }: FirmwareRow) => devices.toLocaleString('en'), isNumber: true },
];

function wantedOf(spec: Readonly<Record<string, unknown>>, images: readonly Schema<'Artifact'>[]): WantedFirmware {
  const { source, version, artifactId } = spec;
  if (source === 'vendor') return { version: typeof version === 'string' ? version : null, isVendor: true };
  const image = images.find(({ id }) => id === artifactId);
  return { version: image?.version ?? image?.name ?? null, isVendor: false };
}
