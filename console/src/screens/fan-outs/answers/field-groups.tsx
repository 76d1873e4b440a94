import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { SelectField } from '../../../ui/field.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Card } from '../../../ui/page.js';
import { countText } from '../../../api/amount-text.js';
import { useSearchText } from '../../../ui/to.js';
import { differencesOf, type FieldDifference, groupsBy, type ValueGroup } from './answer-fields.js';
import { shownValue, type TitleOf } from './field-titles.js';
import { type Shown } from './shown.js';

const NAMES_SHOWN = 6;

/** The devices by their value of a field, and what else differs between two of these groups. */
export function FieldGroups({ devices, asked, titleOf, field }: Shown & { field: string }): ReactNode {
  const groups = groupsBy(devices, field);
  return (
    <>
      <Table
        label={`Devices by ${titleOf(field)}`}
        columns={columnsOf(field, titleOf(field), devices.length)}
        rows={groups}
        rowKey={({ value }) => value}
      />
      {groups.length > 1 && <Difference groups={groups} field={field} asked={asked} titleOf={titleOf} />}
    </>
  );
}

const columnsOf = (field: string, title: string, total: number): readonly Column<ValueGroup>[] => [
  { title, cell: ({ value }) => <span className="foreign">{shownValue(field, value)}</span> },
  {
    title: 'Share',
    cell: ({ devices }) => (
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${(100 * devices.length) / total}%` }} />
      </span>
    ),
  },
  {
    title: 'Devices',
    isNumber: true,
    narrow: 'beside',
    cell: ({ devices }) => devices.length.toLocaleString('en'),
    brief: ({ devices }) => countText(devices.length, 'device'),
  },
  {
    title: 'Examples',
    narrow: 'line',
    cell: ({ devices }) => (
      <span className="foreign cut quiet">
        {devices
          .slice(0, NAMES_SHOWN)
          .map(({ name }) => name)
          .join(', ')}
        {devices.length > NAMES_SHOWN ? ' …' : ''}
      </span>
    ),
  },
];

interface DifferenceProps extends Pick<Shown, 'asked' | 'titleOf'> {
  groups: readonly ValueGroup[];
  field: string;
}

/** What differs between two groups: the two largest, or those that a person chooses. */
function Difference({ groups, field, asked, titleOf }: DifferenceProps): ReactNode {
  const [search, change] = useSearchText();
  const a = groups.find(({ value }) => value === search['a']) ?? groups[0]!;
  const b = groups.find(({ value }) => value === search['b']) ?? groups.find((one) => one !== a)!;
  const options = groups.map(
    ({ value, devices }) => [value, `${shownValue(field, value)} (${devices.length})`] as const,
  );
  const rows = differencesOf(a, b, asked).filter((one) => one.field !== field);
  return (
    <Card title="Difference of two groups">
      <div className="stack">
        <div className="row">
          <SelectField
            label="One group"
            value={a.value}
            options={options}
            onChange={(event) => change({ a: event.target.value })}
          />
          <SelectField
            label="The other"
            value={b.value}
            options={options}
            onChange={(event) => change({ b: event.target.value })}
          />
        </div>
        <Differences key={`${a.value} ${b.value}`} rows={rows} columns={differenceColumns(a, b, field, titleOf)} />
      </div>
    </Card>
  );
}

/** Rows that are seen at first. */
const FIRST_ROWS = 8;

/** The important ones, and the others behind a click. */
function Differences({
  rows,
  columns,
}: {
  rows: readonly FieldDifference[];
  columns: readonly Column<FieldDifference>[];
}): ReactNode {
  const [isAll, setAll] = useState(false);
  if (rows.length === 0) return <p className="quiet">They have a value of each other field in common.</p>;
  const main = rows.filter(({ isMain }) => isMain).slice(0, FIRST_ROWS);
  const first = main.length > 0 ? main : rows.slice(0, FIRST_ROWS);
  const rest = rows.length - first.length;
  return (
    <>
      <Table
        label="Fields in which the groups differ"
        columns={columns}
        rows={isAll ? [...first, ...rows.filter((one) => !first.includes(one))] : first}
        rowKey={(one) => one.field}
      />
      {rest > 0 && (
        <div>
          <Button kind="link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Only the important ones' : countText(rest, 'more field', 'more fields')}
          </Button>
        </div>
      )}
    </>
  );
}

const differenceColumns = (
  a: ValueGroup,
  b: ValueGroup,
  field: string,
  titleOf: TitleOf,
): readonly Column<FieldDifference>[] => [
  {
    title: 'Field',
    cell: (one) => (
      <span className="foreign" title={one.field}>
        {titleOf(one.field)}
      </span>
    ),
  },
  ...[a, b].map(({ value }, at): Column<FieldDifference> => {
    const text = (one: FieldDifference) => (at === 0 ? one.a : one.b);
    return {
      title: `With ${shownValue(field, value)}`,
      narrow: 'block',
      cell: (one) => <span className="foreign">{text(one)}</span>,
      brief: (one) => (
        <span className="foreign">
          <span className="quiet">{shownValue(field, value)}:</span> {text(one)}
        </span>
      ),
    };
  }),
];
