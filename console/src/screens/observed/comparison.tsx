import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { countText } from '../../api/amount-text.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { useSearchText } from '../../ui/to.js';
import { type Group } from './alike.js';
import { comparisonQuery } from './observed-queries.js';
import { serviceName } from './path-words.js';
import { type Difference, valueWords } from './value-words.js';

interface ComparisonProps {
  readonly path: string;
  readonly one: string;
  readonly other: string;
  readonly groups: readonly Group[];
}

/** What differs between two groups, option by option. */
export function Comparison({ path, one, other, groups }: ComparisonProps): ReactNode {
  const [, change] = useSearchText();
  const query = useQuery(comparisonQuery(path, one, other));
  const close = (
    <Button icon="close" onClick={() => change({ one: undefined, other: undefined })}>
      Close the comparison
    </Button>
  );
  const titles = [one, other].map((digest) => titleOf(groups, digest)) as [string, string];
  return (
    <Card
      title={query.data ? countText(query.data.differences.length, 'difference') : 'Differences'}
      actions={close}
      flush
    >
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
    </Card>
  );
}

/** A body of the past has no group any more. */
function titleOf(groups: readonly Group[], digest: string): string {
  const group = groups.find((one) => one.digest === digest);
  return group ? `${countText(group.devices, 'device')} (${digest.slice(0, 8)})` : digest.slice(0, 8);
}

const columnsOf = (path: string, [one, other]: readonly [string, string]): readonly Column<Difference>[] => [
  { title: 'Section', cell: ({ section }) => <span className="foreign">{section || '–'}</span> },
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
