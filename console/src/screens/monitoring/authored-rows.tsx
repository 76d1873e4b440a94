import { type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/may.js';
import { failureText } from '../../ui/words/failure-text.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark, stateText } from '../../ui/mark.js';
import { Empty, Failure } from '../../ui/messages.js';
import { RowActions, type ShownAction } from '../../ui/rows/row-actions.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { To, useAddForm } from '../../ui/to.js';
import { selectorWords } from './shown/selector-words.js';
import { AwaitedTable } from '../../ui/rows/awaited.js';

/** What policies and rules have in common. */
interface AuthoredRow {
  readonly id: string;
  readonly name: string;
  /** null: the reader may not see it, so they cannot save it either. */
  readonly selector: string | null;
  readonly enabled: boolean;
  readonly orphaned: boolean;
  readonly lastError: string | null;
}

interface AuthoredRowsProps<Row> {
  /** What the table holds, for screen readers. */
  readonly label: string;
  /** The text of the button that makes one. */
  readonly add: string;
  readonly query: UseQueryResult<{ readonly items: readonly Row[] }>;
  /** What they are, in one sentence. */
  readonly about: string;
  /** What is shown without any. */
  readonly empty: { readonly title: string; readonly command: string; readonly text: string };
  readonly columns: readonly Column<Row>[];
  /** @param row null: a new one */
  readonly form: (row: Row | null, close: () => void) => ReactNode;
  readonly removal: (row: Row, close: () => void) => ReactNode;
  /** Above the rows, where there are some. */
  readonly head?: ReactNode;
  /** Further actions of a row. */
  readonly more?: (row: Row) => readonly ShownAction[];
}

/** Rows that act in the name of their author, with what makes, changes and removes one. */
export function AuthoredRows<Row extends AuthoredRow>(props: AuthoredRowsProps<Row>): ReactNode {
  const { label, query, empty, columns, form, removal, more = () => [] } = props;
  const mayManage = useMay('monitoring.manage');
  const [isNew, setNew] = useAddForm(mayManage);
  const [edited, setEdited] = useState<Row | null>(null);
  const [removed, setRemoved] = useState<Row | null>(null);
  const add = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      {props.add}
    </Button>
  );
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <AwaitedTable titles={columns.map(({ title }) => title)} />;
  const { items } = query.data;
  const actions = mayManage ? [actionsOf<Row>(setEdited, setRemoved, more)] : [];
  return (
    <div className="stack">
      {items.length === 0 ? (
        <div className="card">
          <Empty title={empty.title} command={empty.command} action={add}>
            {empty.text}
          </Empty>
        </div>
      ) : (
        <>
          {props.head}
          <TabHead text={props.about}>{add}</TabHead>
          <Table
            label={label}
            columns={[...(mayManage ? opening(columns, setEdited) : columns), ...actions]}
            rows={items}
            rowKey={({ id }) => id}
          />
        </>
      )}
      {isNew && form(null, () => setNew(false))}
      {edited && form(edited, () => setEdited(null))}
      {removed && removal(removed, () => setRemoved(null))}
    </div>
  );
}

/** On a narrow screen the row opens its form. */
const opening = <Row extends AuthoredRow>(
  [first, ...others]: readonly Column<Row>[],
  edit: (row: Row) => void,
): readonly Column<Row>[] => [
  {
    ...first!,
    narrow: 'heading',
    brief: (row) =>
      row.selector === null ? (
        <span className="foreign">{row.name}</span>
      ) : (
        <Button kind="link" onClick={() => edit(row)}>
          <span className="foreign">{row.name}</span>
        </Button>
      ),
  },
  ...others,
];

const actionsOf = <Row extends AuthoredRow>(
  edit: (row: Row) => void,
  remove: (row: Row) => void,
  more: (row: Row) => readonly ShownAction[],
): Column<Row> => ({
  title: '',
  cell: (row) => (
    <RowActions
      of={row.name}
      actions={[
        row.selector !== null && { text: 'Change', label: `Change ${row.name}`, onSelect: () => edit(row) },
        ...more(row),
        { text: 'Remove', onSelect: () => remove(row), isDanger: true },
      ]}
    />
  ),
});

/** The devices of a row, as a link to their list. */
export const selectorColumn = (title: string): Column<Pick<AuthoredRow, 'selector'>> => ({
  title,
  narrow: 'line',
  cell: ({ selector }) =>
    selector === null ? (
      <span className="quiet">not shown to you</span>
    ) : (
      <To to="/devices" search={{ selector }} title={selector}>
        {selectorWords(selector, stateText) ?? <code className="foreign cut">{selector}</code>}
      </To>
    ),
});

/** @param without what it does not do while its selector cannot be read, such as "Judges no devices now" */
export const stateColumn = (without: string): Column<AuthoredRow> => ({
  title: 'State',
  cell: ({ enabled, orphaned, lastError }) => {
    if (orphaned) return <Mark tone="bad">Its author may not act any more</Mark>;
    if (!enabled) return <Mark tone="plain">Off</Mark>;
    if (lastError) return <Mark tone="warn">{`${without}. ${failureText(lastError)}`}</Mark>;
    return <Mark tone="set">On</Mark>;
  },
});
