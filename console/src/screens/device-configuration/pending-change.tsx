import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure } from '../../ui/messages.js';
import { useNarrow } from '../../ui/rows/narrow.js';
import { type DeviceCall, gatewayPath } from '../device-api/device-call.js';
import css from './device-configuration.module.css';
import { OptionTitle } from './option-field.js';
import { type OptionDifference } from './section-values.js';

interface PendingChangeProps {
  /** How much it is, or what. */
  title: string;
  difference: ReactNode;
  device: Schema<'Device'>;
  /** As it is shown: without secrets. */
  call: DeviceCall;
  reason: string;
  error: unknown;
  onReason: (reason: string) => void;
  /** The buttons. */
  children: ReactNode;
}

/** What was typed and is not on the device yet: what it does, why, the buttons, and the same for a shell. */
export function PendingChange({
  title,
  difference,
  device,
  call,
  reason,
  error,
  onReason,
  children,
}: PendingChangeProps): ReactNode {
  const { method, path, json } = call;
  const isNarrow = useNarrow(); // there the difference would cover what is typed
  return (
    <div data-foot className={css.pending} role="group" aria-label="Change that is not saved">
      <details open={!isNarrow} className={css.difference}>
        <summary>{title}</summary>
        {difference}
      </details>
      {error ? <Failure error={error} /> : null}
      <div className={css.saving}>
        <TextField
          label="Reason"
          placeholder="For the audit log; some gateways require it"
          value={reason}
          onChange={(event) => onReason(event.target.value)}
        />
        <div className="row">{children}</div>
      </div>
      <EquivalentLines
        command={`call ${method.toLowerCase()} ${shellWord(device.name)} ${shellWord(path)}${json ? ' -f body.json' : ''}`}
        method={method}
        path={gatewayPath(`name:${encodeURIComponent(device.name)}`, path)}
        {...(json === undefined ? {} : { body: json })}
      />
    </div>
  );
}

/** The reason as a part of a call. */
export const reasonOf = (reason: string): { reason?: string } => (reason ? { reason } : {});

const option = (row: OptionDifference) => <OptionTitle title={row.title} name={row.name} />;

const COLUMNS: readonly Column<OptionDifference>[] = [
  { title: 'Option', cell: option },
  { title: 'Before', narrow: 'block', cell: ({ before }) => <span className="foreign">{before}</span> },
  { title: 'After', narrow: 'block', cell: ({ after }) => <ins className="foreign">{after}</ins> },
];

const NEW: readonly Column<OptionDifference>[] = [
  { title: 'Option', cell: option },
  { title: 'Value', narrow: 'block', cell: ({ after }) => <ins className="foreign">{after}</ins> },
];

interface SectionDifferenceProps {
  rows: readonly OptionDifference[];
  /** There is nothing on the device yet. */
  isNew?: boolean;
}

/** What saving changes, before it is saved. */
export function SectionDifference({ rows, isNew = false }: SectionDifferenceProps): ReactNode {
  return (
    <Table
      label={isNew ? 'What is added' : 'What saving changes'}
      columns={isNew ? NEW : COLUMNS}
      rows={rows}
      rowKey={({ name }) => name}
    />
  );
}
