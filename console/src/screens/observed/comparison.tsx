import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { countText } from '../../api/amount-text.js';
import { Dialog } from '../../ui/dialog.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure, Loading } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { type Group } from './alike.js';
import { comparisonQuery } from './observed-queries.js';
import { sectionNoun, serviceName } from './path-words.js';
import { type Difference, valueWords } from './value-words.js';

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
            columns={columnsOf(path, titles)}
            rows={query.data.differences}
            rowKey={({ section, option }) => `${section} ${option}`}
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

const columnsOf = (path: string, [one, other]: readonly [string, string]): readonly Column<Difference>[] => [
  {
    title: 'Section',
    cell: ({ section }) => <span className="foreign">{sectionNoun(serviceName(path), section) || '–'}</span>,
  },
  {
    title: 'Option',
    narrow: 'line',
    cell: ({ option }) =>
      option === null ? (
        <span className="quiet">the whole section</span>
      ) : (
        <>
          {wordsOfOption(serviceName(path), option).title} <code className="quiet">{option}</code>
        </>
      ),
  },
  ...([one, other] as const).map((title, at): Column<Difference> => {
    const cell = (row: Difference) => <Value path={path} option={row.option} of={at === 0 ? row.one : row.other} />;
    return {
      title,
      narrow: 'block',
      cell,
      brief: (row) => (
        <>
          <span className="quiet">{title}:</span> {cell(row)}
        </>
      ),
    };
  }),
];

function Value({ path, option, of }: { path: string; option: string | null; of: unknown }): ReactNode {
  if (of === undefined) return <span className="quiet">not there</span>;
  return option === null ? 'there' : <span className="foreign">{valueWords(serviceName(path), option, of)}</span>;
}
