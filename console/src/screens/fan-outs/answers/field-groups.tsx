import { type ReactNode } from 'react';
import { SelectField } from '../../../ui/field.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Card } from '../../../ui/page.js';
import { countText } from '../../../api/amount-text.js';
import { useSearchText } from '../../../ui/to.js';
import {
  type AnsweredDevice,
  differencesOf,
  type FieldDifference,
  groupsBy,
  type ValueGroup,
} from './answer-fields.js';
import { fieldTitle } from './field-titles.js';

const NAMES_SHOWN = 6;

/** The devices by their value of a field, and what else differs between two of these groups. */
export function FieldGroups({ devices, field }: { devices: readonly AnsweredDevice[]; field: string }): ReactNode {
  const groups = groupsBy(devices, field);
  return (
    <>
      <Table
        label={`Devices by ${fieldTitle(field)}`}
        columns={columnsOf(field, devices.length)}
        rows={groups}
        rowKey={({ value }) => value}
      />
      {groups.length > 1 && <Difference groups={groups} />}
    </>
  );
}

const columnsOf = (field: string, total: number): readonly Column<ValueGroup>[] => [
  { title: fieldTitle(field), cell: ({ value }) => <span className="foreign">{value}</span> },
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

/** What differs between two groups: the two largest, or those that a person chooses. */
function Difference({ groups }: { groups: readonly ValueGroup[] }): ReactNode {
  const [search, change] = useSearchText();
  const a = groups.find(({ value }) => value === search['a']) ?? groups[0]!;
  const b = groups.find(({ value }) => value === search['b']) ?? groups.find((one) => one !== a)!;
  const options = groups.map(({ value, devices }) => [value, `${value} (${devices.length})`] as const);
  const rows = differencesOf(a, b);
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
        {rows.length > 0 ? (
          <Table
            label="Fields in which the groups differ"
            columns={differenceColumns(a, b)}
            rows={rows}
            rowKey={(one) => one.field}
          />
        ) : (
          <p className="quiet">They have a value of each field in common.</p>
        )}
      </div>
    </Card>
  );
}

const differenceColumns = (a: ValueGroup, b: ValueGroup): readonly Column<FieldDifference>[] => [
  {
    title: 'Field',
    cell: ({ field }) => (
      <span className="foreign" title={field}>
        {fieldTitle(field)}
      </span>
    ),
  },
  ...[a, b].map(({ value }, at): Column<FieldDifference> => {
    const text = (one: FieldDifference) => (at === 0 ? one.a : one.b);
    return {
      title: `With ${value}`,
      narrow: 'block',
      cell: (one) => <span className="foreign">{text(one)}</span>,
      brief: (one) => (
        <span className="foreign">
          <span className="quiet">{value}:</span> {text(one)}
        </span>
      ),
    };
  }),
];
