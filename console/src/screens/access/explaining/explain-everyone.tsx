import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { tell } from '../../../api/problems.js';
import { operatorsQuery } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { Table } from '../../../ui/list-table.js';
import { Failure } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';
import { usePersonLocks } from '../people/person-state.js';
import { actText, type Question } from './answer-text.js';
import { Because, May } from './because.js';
import { explainQuery } from './explain-query.js';
import { AwaitedCards } from '../../../ui/rows/awaited.js';

/** Each person is a request of its own. */
const AT_ONCE = 50;

/** Each person with the answer to one question: those who may stand first. */
export function ExplainEveryone(question: Question): ReactNode {
  const [shown, setShown] = useState(AT_ONCE);
  const people = useQuery(operatorsQuery);
  const lockOf = usePersonLocks();
  const all = people.data?.items.filter(({ disabledAt }) => disabledAt === null) ?? [];
  const asked = all.slice(0, shown);
  const answers = useQueries({ queries: asked.map(({ id }) => explainQuery({ ...question, operator: id })) });
  if (people.error) return <Failure error={people.error} onRetry={() => void people.refetch()} />;
  const rows = asked.map(({ id, name }, at) => {
    const { data, error } = answers[at]!;
    return { id, name, data, error, lock: lockOf(id), isAllowed: Boolean(data?.allowed && !lockOf(id)) };
  });
  const failed = rows.find(({ error }) => error);
  // The same wrong device or path is wrong for all of them.
  if (failed && rows.every(({ data }) => !data)) return <Failure error={failed.error} />;
  if (!people.data || answers.some(({ isPending }) => isPending)) return <AwaitedCards />;
  const rankOf = ({ isAllowed }: (typeof rows)[number]) => (isAllowed ? 0 : 1);
  const count = rows.filter(({ isAllowed }) => isAllowed).length;
  return (
    <div className="stack">
      <p role="status">
        <strong className="foreign">
          {count} of {countText(rows.length, 'person', 'people')} may {actText(question)}.
        </strong>{' '}
        <span className="quiet">Disabled ones are not listed.</span>
      </p>
      <Table
        label="Who may do this"
        rows={rows.toSorted((one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name))}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Person',
            cell: ({ id, name }) => (
              <To to="/access" search={{ ...question, tab: 'explain', operator: id }} className="foreign cut">
                {name}
              </To>
            ),
          },
          {
            title: 'May',
            narrow: 'beside',
            cell: ({ data, lock }) => (data ? <May of={data} lock={lock} /> : '–'),
          },
          {
            title: 'Because',
            narrow: 'block',
            cell: ({ data, error, lock }) => (data ? <Because of={data} lock={lock} /> : tell(error).title),
          },
        ]}
      />
      {all.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + AT_ONCE)}>Ask for more people</Button>
        </div>
      )}
    </div>
  );
}
