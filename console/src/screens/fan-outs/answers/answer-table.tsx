import { countText, pluralText } from '../../../api/amount-text.js';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../../api/may.js';
import { Button } from '../../../ui/button.js';
import { CheckField, SelectField } from '../../../ui/field.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { saveFile } from '../../../api/save-file.js';
import { exactText } from '../../../ui/time.js';
import { To, useGo, useSearchText } from '../../../ui/to.js';
import {
  type AnsweredDevice,
  csvOf,
  fieldChoices,
  type FieldChoice,
  usualValues,
  type Values,
} from './answer-fields.js';
import { BY_DEVICE, columnOrder, sortedAnswers } from './answer-order.js';
import styles from './answers.module.css';
import { Differing } from './differing.js';
import { FieldChoices } from './field-choices.js';
import { FieldGroups } from './field-groups.js';
import { alikeOf, askedFields, firstColumns, groupingFields } from './field-order.js';
import { shownValue, titlesOf, type TitleOf, toneOfField } from './field-titles.js';
import { type Shown } from './shown.js';
import { ANSWERS_MAX, useAnswers } from './use-answers.js';

interface AnswerTableProps {
  fanOutId: string;
  /** Null: the reader sees only a part of the choice. */
  selector: string | null;
  devices: number;
  /** When the devices answered. */
  at: string;
  /** The ends of the names of the fields that the question is about. */
  shows: readonly string[];
}

/** Between the names of columns in the address. No field of a device has it. */
const SEPARATOR = '|';

/** The answers as a table: a person chooses fields as columns, groups by one, and compares two groups. */
export function AnswerTable({ fanOutId, selector, devices: total, at, shows }: AnswerTableProps): ReactNode {
  const [{ columns: chosen }, change] = useSearchText();
  const { data, error, refetch } = useAnswers(fanOutId, selector);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading the answers" />;
  const choices = fieldChoices(data);
  if (choices.length === 0)
    return (
      <div className="card">
        <Empty title="No device has an answer with fields">The outcomes say how each call ended.</Empty>
      </div>
    );
  const asked = askedFields(choices, shows);
  const shown: Shown = { devices: data, choices, asked, titleOf: titlesOf(choices, data) };
  const columns = chosen === undefined ? firstColumns(choices, data, asked) : chosen.split(SEPARATOR).filter(Boolean);
  const setColumns = (names: readonly string[]) => change({ columns: names.join(SEPARATOR) || SEPARATOR });
  return (
    <div className="stack">
      {total > ANSWERS_MAX && data.length >= ANSWERS_MAX && (
        <p className="small quiet">The answers of the first {countText(ANSWERS_MAX, 'device')} are read.</p>
      )}
      <Differing {...shown} />
      <ShownAnswers shown={shown} columns={columns} onColumns={setColumns} at={at} />
    </div>
  );
}

/** A selector of so many ids stays far below the longest address that a gateway takes. */
const SELECTED_MAX = 40;

interface ShownAnswersProps {
  shown: Shown;
  columns: readonly string[];
  onColumns: (columns: readonly string[]) => void;
  at: string;
}

/** A row for each device, or groups by a field. What differs from most devices is marked, and can be seen alone. */
function ShownAnswers({ shown, columns, onColumns, at }: ShownAnswersProps): ReactNode {
  const { devices, choices, asked, titleOf } = shown;
  const [{ by, differing, answer, of, sort }, change] = useSearchText();
  const [isChoosing, setChoosing] = useState(false);
  const grouping = groupingFields(choices, devices.length, asked);
  const usual = usualValues(devices, columns);
  const mayRoll = useMay('rollout.manage');
  const go = useGo();
  const { others } = alikeOf(devices, choices, asked);
  const isOnly = differing === 'yes' && others.length > 0;
  return (
    <div className="stack">
      <div className="row spread">
        <SelectField
          label="Group by"
          value={by ?? ''}
          options={[['', 'Nothing: a row for each device'], ...grouping.first.map((one) => optionOf(one, titleOf))]}
          groups={grouping.more.length === 0 ? [] : [['More', grouping.more.map((one) => optionOf(one, titleOf))]]}
          onChange={(event) => change({ by: event.target.value || undefined, a: undefined, b: undefined })}
        />
        {!by && others.length > 0 && (
          <CheckField
            label={`Only the ${countText(others.length, 'device')} that ${pluralText(others.length, 'differs', 'differ')}`}
            checked={isOnly}
            onChange={() => change({ differing: isOnly ? undefined : 'yes' })}
          />
        )}
        <span className="row">
          {isOnly && mayRoll && others.length <= SELECTED_MAX && (
            <Button
              kind="primary"
              onClick={() =>
                go('/rollouts/new', { selector: others.map(({ deviceId }) => `id=${deviceId}`).join(' | ') })
              }
            >
              Plan a rollout on them
            </Button>
          )}
          <Button aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
            Fields
          </Button>
          <Button
            icon="download"
            onClick={() =>
              void saveFile('answers.csv', new Blob([csvOf(devices, columns)], { type: 'text/csv' }).stream())
            }
          >
            Save as CSV
          </Button>
        </span>
      </div>
      {isChoosing && (
        <Card title="Fields">
          <FieldChoices choices={choices} columns={columns} titleOf={titleOf} onColumns={onColumns} />
        </Card>
      )}
      {by ? (
        <FieldGroups {...shown} field={by} />
      ) : (
        <Table
          label="Answers of the devices"
          columns={columnsOf({ names: columns, usual, at, titleOf, sort, onSort: (next) => change({ sort: next }) })}
          rows={sortedAnswers(isOnly ? others : devices, sort)}
          rowKey={({ deviceId }) => deviceId}
          isOpen={({ deviceId, digest }) => digest === answer && (of ?? deviceId) === deviceId}
        />
      )}
    </div>
  );
}

const optionOf = ({ name, different }: FieldChoice, titleOf: TitleOf) =>
  [name, `${titleOf(name)} (${countText(different, 'value')})`] as const;

interface ShownColumns {
  names: readonly string[];
  usual: Values;
  at: string;
  titleOf: TitleOf;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

const sortOf = (field: string, { sort, onSort }: ShownColumns) => {
  const { direction, next } = columnOrder(sort, field);
  return { direction, turn: () => onSort(next) };
};

const columnsOf = (shown: ShownColumns): readonly Column<AnsweredDevice>[] => [
  {
    title: 'Device',
    sort: sortOf(BY_DEVICE, shown),
    cell: ({ deviceId, name, isAway }) => (
      <span className="cut">
        <To to={`/devices/${deviceId}`} className="foreign" title={name}>
          {name}
        </To>
        {isAway && (
          <span className="small quiet" title={`It answered ${exactText(shown.at)}`}>
            {' '}
            · offline now
          </span>
        )}
      </span>
    ),
  },
  ...shown.names.map((name) => ({
    title: shown.titleOf(name),
    sort: sortOf(name, shown),
    narrow: 'block' as const,
    brief: ({ values }: AnsweredDevice) =>
      values.has(name) && (
        <span className="small">
          <span className="quiet">{shown.titleOf(name)}</span>{' '}
          <span className="foreign">{shownValue(name, values.get(name) ?? '')}</span>
        </span>
      ),
    cell: ({ values }: AnsweredDevice) => (
      <Value name={name} value={values.get(name) ?? '–'} usual={shown.usual.get(name)} />
    ),
  })),
  {
    title: 'Answer',
    narrow: 'none',
    cell: ({ digest = null, name, deviceId }) =>
      digest === null ? '–' : <AnswerLink digest={digest} deviceId={deviceId} name={name} />,
  },
];

interface ValueProps {
  name: string;
  value: string;
  usual: string | undefined;
}

/** A value; another one than most devices have is marked, and a weak one has its colour. */
function Value({ name, value, usual }: ValueProps): ReactNode {
  const tone = toneOfField(name, value) ?? undefined;
  const text = shownValue(name, value);
  if (usual === undefined || value === usual || tone)
    return (
      <span
        className={`foreign cut ${styles['tone']}`}
        data-tone={tone}
        title={text === value ? text : `${text} (${value})`}
      >
        {text}
      </span>
    );
  return (
    <strong className={`foreign cut ${styles['unusual']}`} title={`${text}; most have ${shownValue(name, usual)}`}>
      {text}
    </strong>
  );
}

/** Opens the whole answer beside the table. */
function AnswerLink({ digest, deviceId, name }: { digest: string; deviceId: string; name: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, answer: digest, of: deviceId }} title={`Answer of ${name}`}>
      Open
    </To>
  );
}
