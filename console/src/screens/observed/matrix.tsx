import { type ReactNode } from 'react';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { ownPath } from '../../api/own-path.js';
import { TextField } from '../../ui/field.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To, useAddressText } from '../../ui/to.js';
import { optionsOf } from './alike.js';
import { pathTitle, serviceName, shownValue } from './path-words.js';
import { AtPlace } from './place.js';
import { KEYS } from '../../api/keys/query-keys.js';

type Row = Schema<'ObservedSection'>;

/** Columns of options where none are chosen: more do not fit beside the device. */
const COLUMNS_SHOWN = 5;

/** Each section of each router at one path: which account exists where, in which group. */
export function Matrix(): ReactNode {
  const [options, setOptions] = useAddressText('options');
  const chosen = options.split(',').flatMap((name) => name.trim() || []);
  const choice = (
    <TextField
      label="Options"
      placeholder="username, group"
      spellCheck={false}
      value={options}
      onChange={(event) => setOptions(event.target.value)}
    />
  );
  return (
    <AtPlace more={choice}>{(path, selector) => <MatrixAt path={path} selector={selector} chosen={chosen} />}</AtPlace>
  );
}

interface At {
  readonly path: string;
  readonly selector: string;
  readonly chosen: readonly string[];
}

function MatrixAt({ path, selector, chosen }: At): ReactNode {
  const options = chosen.join(',');
  const list = useList('/v1/observed/matrix', {
    key: KEYS.observed.matrix,
    query: { path, selector, options, limit: 50 },
    every: 60_000,
  });
  const shown = chosen.length > 0 ? chosen : optionsOf(list.rows).slice(0, COLUMNS_SHOWN);
  const more = optionsOf(list.rows).length - shown.length;
  const file = new URLSearchParams({ path, selector, format: 'csv', ...(options ? { options } : {}) });
  return (
    <div className="stack">
      <p className="row">
        <a href={ownPath(`/v1/observed/matrix?${file}`)} download>
          Download all as CSV
        </a>
        {more > 0 && chosen.length === 0 && (
          <span className="small quiet">Further options: {optionsOf(list.rows).slice(COLUMNS_SHOWN).join(', ')}</span>
        )}
      </p>
      <ListTable
        label={`Sections of ${pathTitle(path)}`}
        list={list}
        columns={columnsOf(serviceName(path), shown)}
        rowKey={({ deviceId, section }) => `${deviceId} ${section}`}
        empty={
          <Empty title="No device was read here" command={`fleetgate observed matrix --path ${path}`}>
            A row for each section of each router stands here once a watch has read this path.
          </Empty>
        }
      />
    </div>
  );
}

const columnsOf = (service: string, options: readonly string[]): readonly Column<Row>[] => [
  {
    title: 'Device',
    cell: ({ deviceId, device }) => (
      <To to={`/devices/${deviceId}`} search={{ tab: 'history' }} className="foreign cut" title={device}>
        {device}
      </To>
    ),
  },
  { title: 'Section', cell: ({ section }) => <span className="foreign">{section || '–'}</span> },
  ...options.map((option) => ({
    title: wordsOfOption(service, option).title,
    cell: (row: Row) => <span className="foreign cut">{shownValue(row.options[option])}</span>,
  })),
  { title: 'Read', cell: ({ readAt }) => <Ago at={readAt} /> },
  { title: 'Changed', cell: ({ changedAt }) => (changedAt ? <Ago at={changedAt} /> : '–') },
];
