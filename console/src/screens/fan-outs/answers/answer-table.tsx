import { countText } from '../../../api/amount-text.js';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { CheckField, SelectField, TextField } from '../../../ui/field.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { saveFile } from '../../../api/save-file.js';
import { To, useSearchText } from '../../../ui/to.js';
import { type AnsweredDevice, csvOf, fieldChoices, type FieldChoice, firstColumns } from './answer-fields.js';
import styles from './answers.module.css';
import { FieldGroups } from './field-groups.js';
import { ANSWERS_MAX, useAnswers } from './use-answers.js';

/** Of fewer fields all are seen at once. */
const FIND_FROM = 12;

/** Between the names of columns in the address. No field of a device has it. */
const SEPARATOR = '|';

/** The answers as a table: a person chooses fields as columns, groups by one, and compares two groups. */
export function AnswerTable({ fanOutId, devices: total }: { fanOutId: string; devices: number }): ReactNode {
  const [{ columns: chosen, by }, change] = useSearchText();
  const { data, error, refetch } = useAnswers(fanOutId);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading the answers" />;
  const choices = fieldChoices(data);
  if (choices.length === 0)
    return (
      <div className="card">
        <Empty title="No device has an answer with fields">The outcomes say how each call ended.</Empty>
      </div>
    );
  const columns = chosen === undefined ? firstColumns(choices, data.length) : chosen.split(SEPARATOR).filter(Boolean);
  const setColumns = (names: readonly string[]) => change({ columns: names.join(SEPARATOR) || SEPARATOR });
  return (
    <div className="stack">
      {total > ANSWERS_MAX && data.length >= ANSWERS_MAX && (
        <p className="small quiet">The answers of the first {countText(ANSWERS_MAX, 'device')} are read.</p>
      )}
      <div className={styles['columns']}>
        <Card title="Fields">
          <FieldChoices choices={choices} columns={columns} onColumns={setColumns} />
        </Card>
        <div className="stack">
          <div className="row spread">
            <SelectField
              label="Group by"
              value={by ?? ''}
              options={[['', 'Nothing: a row for each device'], ...columns.map((name) => [name, name] as const)]}
              onChange={(event) => change({ by: event.target.value || undefined, a: undefined, b: undefined })}
            />
            <Button
              icon="down"
              onClick={() =>
                void saveFile('answers.csv', new Blob([csvOf(data, columns)], { type: 'text/csv' }).stream())
              }
            >
              Save as CSV
            </Button>
          </div>
          {by ? (
            <FieldGroups devices={data} field={by} />
          ) : (
            <Table
              label="Answers of the devices"
              columns={columnsOf(columns)}
              rows={data}
              rowKey={({ deviceId }) => deviceId}
            />
          )}
        </div>
      </div>
    </div>
  );
}

const columnsOf = (names: readonly string[]): readonly Column<AnsweredDevice>[] => [
  {
    title: 'Device',
    cell: ({ deviceId, name }) => (
      <To to={`/devices/${deviceId}`} className="foreign cut" title={name}>
        {name}
      </To>
    ),
  },
  ...names.map((name) => ({
    title: name,
    cell: ({ values }: AnsweredDevice) => (
      <span className="foreign cut" title={values.get(name)}>
        {values.get(name) ?? '–'}
      </span>
    ),
  })),
  {
    title: 'Answer',
    cell: ({ digest = null, name }) => (digest === null ? '–' : <AnswerLink digest={digest} of={name} />),
  },
];

/** Opens the whole answer beside the table. */
function AnswerLink({ digest, of }: { digest: string; of: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, answer: digest }} title={`Answer of ${of}`}>
      Open
    </To>
  );
}

interface FieldChoicesProps {
  choices: readonly FieldChoice[];
  columns: readonly string[];
  onColumns: (columns: readonly string[]) => void;
}

/** A box for each field of the answers, with how many different values it has. */
function FieldChoices({ choices, columns, onColumns }: FieldChoicesProps): ReactNode {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <div className="stack">
      {choices.length > FIND_FROM && (
        <TextField
          label="Find a field"
          type="search"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <div className={styles['choices']} role="group" aria-label="Fields of the answers" tabIndex={0}>
        {shown.map(({ name, different }) => (
          <CheckField
            key={name}
            label={
              <span className="foreign">
                {name}{' '}
                <span className="small quiet">{different === 1 ? 'all equal' : countText(different, 'value')}</span>
              </span>
            }
            checked={columns.includes(name)}
            onChange={(event) =>
              onColumns(event.target.checked ? [...columns, name] : columns.filter((one) => one !== name))
            }
          />
        ))}
      </div>
    </div>
  );
}
