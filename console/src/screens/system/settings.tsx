import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Marked } from '../../ui/marked.js';
import { Empty, Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { DocLink, useSearchText } from '../../ui/to.js';
import { settingGroups } from './setting-groups.js';
import { settingText, settingValue } from './setting-words.js';
import css from './system.module.css';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type Setting = Schema<'SettingList'>['items'][number];

/** The settings of the process that answers. They are read only: the environment of a process sets them at its start. */
export function Settings(): ReactNode {
  const [{ q = '', set }, change] = useSearchText();
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.settings.all,
    queryFn: ({ signal }) => api.get('/v1/system/settings', { signal }),
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />;
  // What is searched may not be set; without a search the few that are set are what this gateway differs by.
  const isOnlySet = set === undefined ? q === '' : set === 'yes';
  const wanted = q.trim().toLowerCase();
  const rows = data.items.filter(
    ({ name, description, source }) =>
      (!isOnlySet || source === 'set') && `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="stack">
      <p className="quiet">
        A process reads them at its start, from environment variables with the names in grey.{' '}
        <DocLink of="reference/config">What each means</DocLink>
      </p>
      <Filters>
        <TextField
          label="Search"
          type="search"
          value={q}
          onChange={(event) => change({ q: event.target.value || undefined })}
        />
        <CheckField
          label="Only those that are set"
          checked={isOnlySet}
          onChange={(event) => change({ set: event.target.checked ? 'yes' : 'no' })}
        />
      </Filters>
      {rows.length === 0 ? (
        <div className="card">
          <Empty title="No setting matches">Choose other words, or show all of them.</Empty>
        </div>
      ) : (
        settingGroups(rows).map(([title, own]) => (
          <Card key={title} title={title} flush actions={<span className={css.count}>{setText(own)}</span>}>
            <div className={css.settings}>
              <Table label={`Settings: ${title}`} rows={own} rowKey={({ name }) => name} columns={COLUMNS} />
            </div>
          </Card>
        ))
      )}
      <EquivalentLines command="system settings" method="GET" path="/v1/system/settings" />
    </div>
  );
}

const COLUMNS: readonly Column<Setting>[] = [
  { title: 'Setting', narrow: 'heading', cell: (setting) => <Name of={setting} /> },
  { title: 'Value', narrow: 'block', cell: (setting) => <Value of={setting} /> },
  {
    title: 'Set by',
    narrow: 'beside',
    cell: ({ source }) =>
      source === 'set' ? <Mark tone="set">Set here</Mark> : <span className="quiet">Default</span>,
  },
];

function Name({ of: { name, description } }: { of: Setting }): ReactNode {
  const [about, more] = settingText(description);
  return (
    <span className={css.setting}>
      <span>
        <Marked text={about} />
      </span>
      {more && (
        <span className="small quiet">
          <Marked text={more} />
        </span>
      )}
      <code className={css.variable}>{name}</code>
    </span>
  );
}

function Value({ of: { name, value, hidden, source } }: { of: Setting }): ReactNode {
  if (hidden) return <span className="quiet">A secret, not shown</span>;
  if (value === null) return <span className="quiet">Not set</span>;
  return (
    <span className={`foreign ${css.value} ${source === 'set' ? css.own : 'quiet'}`} title={value}>
      {settingValue(name, value)}
    </span>
  );
}

/** How many of a group this gateway sets itself. */
const setText = (settings: readonly Setting[]): string =>
  `${numberText(settings.filter(({ source }) => source === 'set').length)} of ${numberText(settings.length)} set here`;
