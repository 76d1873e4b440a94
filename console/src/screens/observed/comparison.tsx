import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { Dialog } from '../../ui/dialog.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure, Loading } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { type Group } from './alike.js';
import { comparisonQuery } from './observed-queries.js';
import { serviceName } from './path-words.js';
import { type ChangeLine, changeLines } from './value-words.js';

interface ComparisonProps {
  readonly path: string;
  readonly one: string;
  readonly other: string;
  readonly groups: readonly Group[];
  /** The digest that most have. */
  readonly baseline: string | null;
}

/** What differs between two groups, option by option. */
export function Comparison({ path, one, other, groups, baseline }: ComparisonProps): ReactNode {
  const [, change] = useSearchText();
  const query = useQuery(comparisonQuery(path, one, other));
  const close = () => change({ one: undefined, other: undefined });
  // What is no group any more was before a change, or after it.
  const titles = [titleOf(groups, one, baseline) ?? 'Before', titleOf(groups, other, baseline) ?? 'After'] as const;
  return (
    <Dialog
      title={query.data ? countText(query.data.differences.length, 'difference') : 'Differences'}
      size="wide"
      onClose={close}
    >
      <div className="dialog-body">
        {query.error ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data ? (
          <Table
            label="What differs between two groups"
            columns={columnsOf(titles)}
            rows={changeLines(serviceName(path), query.data.differences)}
            rowKey={({ what, before, after }) => `${what} ${before} ${after}`}
          />
        ) : (
          <Loading />
        )}
      </div>
    </Dialog>
  );
}

/** `Baseline, 17 devices`, or `gdansk-kiosk-08 and 6 others`; null: a body of the past. */
function titleOf(groups: readonly Group[], digest: string, baseline: string | null): string | null {
  const group = groups.find((one) => one.digest === digest);
  if (!group) return null;
  if (digest === baseline) return `Baseline, ${countText(group.devices, 'device')}`;
  const others = group.devices - 1;
  return others === 0 ? group.sample.name : `${group.sample.name} and ${countText(others, 'other')}`;
}

const columnsOf = ([one, other]: readonly [string, string]): readonly Column<ChangeLine>[] => [
  { title: 'What', narrow: 'heading', cell: ({ what }) => <span className="foreign">{what}</span> },
  valueColumn(one, ({ before }) => before),
  valueColumn(other, ({ after }) => after),
];

function valueColumn(title: string, textOf: (line: ChangeLine) => string): Column<ChangeLine> {
  const cell = (line: ChangeLine) => <span className="foreign">{textOf(line)}</span>;
  return {
    title,
    narrow: 'block',
    cell,
    brief: (line) => (
      <>
        <span className="quiet">{title}:</span> {cell(line)}
      </>
    ),
  };
}
