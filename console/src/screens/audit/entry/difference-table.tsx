import { type ReactNode } from 'react';
import { shortText } from '../../../ui/json.js';
import { Table } from '../../../ui/list-table.js';
import { differences } from './difference.js';
import { factName } from '../../jobs/timeline/fact-words.js';
import css from '../audit.module.css';

/** What changed, a row for each path. */
export function DifferenceTable({ before, after }: { before: unknown; after: unknown }): ReactNode {
  const changes = differences(before, after);
  if (changes.length === 0) return <p className="quiet">Before and after are the same.</p>;
  return (
    <Table
      label="Difference"
      rows={changes}
      rowKey={({ path }) => path}
      columns={[
        { title: 'What', cell: ({ path }) => <span className="foreign">{pathWords(path)}</span> },
        { title: 'Before', narrow: 'block', cell: ({ before: value }) => <Value sign="−" tone="bad" value={value} /> },
        { title: 'After', narrow: 'block', cell: ({ after: value }) => <Value sign="+" tone="good" value={value} /> },
      ]}
    />
  );
}

/** `/rules/0/effect` as `Rules › 1 › Effect`. */
const pathWords = (path: string): string =>
  path
    .split('/')
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : factName(part)))
    .join(' › ') || 'All of it';

function Value({ sign, tone, value }: { sign: string; tone: 'good' | 'bad'; value: unknown }): ReactNode {
  if (value === undefined) return <span className="quiet">–</span>;
  return (
    <code className={`${css.difference} foreign`} data-tone={tone}>
      <span aria-hidden="true">{sign} </span>
      {value === null ? 'null' : value === '' ? '""' : shortText(value)}
    </code>
  );
}
