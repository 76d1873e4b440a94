import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Card } from '../../../ui/page.js';
import { titleOf, tokensOf, valueText } from '../item-words.js';

type Adoption = Schema<'TemplateAdoption'>;
type Field = Adoption['fields'][number];
type LeftOut = Adoption['leftOut'][number];

const REASONS: Readonly<Record<LeftOut['reason'], string>> = {
  not_on_all: 'not every device has it',
  no_key: 'nothing tells its sections apart',
  secret: 'a secret; give it a sealed value',
  made_by_device: 'made by each device for itself',
  moves: 'changes again and again by itself',
  not_text: 'no text and no list of texts',
  list_differs: 'a list that differs',
  no_field_value: 'differs, and is empty or too long on a device',
  too_many_fields: 'differs, and there may be no more custom fields',
  too_many_items: 'a template has at most 50 items',
  too_many_options: 'a section of more than 128 settings is adopted in part',
  refused: 'a change of the configuration may not set it',
};

const VALUES = 3;

/** What the template would say, what becomes a custom field, and what is left out and why. */
export function AdoptionFound({ adoption: { devices, items, fields, leftOut } }: { adoption: Adoption }): ReactNode {
  const equal = items.reduce((sum, { options }) => sum + Object.keys(options).length, 0) - fields.length;
  return (
    <>
      <Card title={`What ${countText(devices, 'device')} ${devices === 1 ? 'has' : 'have in common'}`}>
        <p>
          {countText(items.length, 'section')}, {countText(equal, 'setting')} with one value,{' '}
          {countText(fields.length, 'setting')} with a value of each device, {countText(leftOut.length, 'thing')} left
          out.
        </p>
      </Card>
      {fields.length > 0 && (
        <Card title="Differs, and becomes a custom field" flush>
          <Table label="Custom fields" columns={FIELDS} rows={fields} rowKey={({ field }) => field} />
        </Card>
      )}
      {leftOut.length > 0 && (
        <Card title="Left out" flush>
          <Table
            label="Left out"
            columns={LEFT_OUT}
            rows={leftOut}
            rowKey={({ path, key, option }) => JSON.stringify([path, key, option])}
          />
        </Card>
      )}
    </>
  );
}

const Setting = ({ of }: { of: Pick<LeftOut, 'path' | 'key' | 'option'> }): ReactNode => (
  <span className="foreign" title={tokensOf(of)}>
    {titleOf(of)}
  </span>
);

const FIELDS: readonly Column<Field>[] = [
  { title: 'Setting', cell: (field) => <Setting of={field} /> },
  {
    title: 'Custom field',
    narrow: 'line',
    cell: ({ field, isNew }) => (
      <>
        <span className="foreign">{field}</span> {isNew && <span className="quiet">new</span>}
      </>
    ),
  },
  { title: 'Values', narrow: 'block', cell: (field) => <span className="foreign cut">{valuesText(field)}</span> },
];

const LEFT_OUT: readonly Column<LeftOut>[] = [
  { title: 'Setting', cell: (one) => <Setting of={one} /> },
  { title: 'Why', narrow: 'block', cell: ({ reason }) => REASONS[reason] },
];

/** `10.0.1.1, 10.0.2.1, 10.0.3.1 and 7 others`. */
function valuesText({ path, option, values }: Field): string {
  const shown = values.slice(0, VALUES).map(({ value }) => valueText(path, option, value));
  const more = values.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${countText(more, 'other')}` : '');
}
