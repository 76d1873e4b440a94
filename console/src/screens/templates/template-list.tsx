import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { useMay } from '../../api/may.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark, stateText } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { DocLink, To, useGo, useSearchText } from '../../ui/to.js';
import { selectorWords } from '../monitoring/shown/selector-words.js';
import { AdoptTemplate } from './adopt/adopt-template.js';
import { NewTemplate } from './draft/new-template.js';
import { titleOf } from './item-words.js';
import { StateMeanings, SyncBar } from './sync-bar.js';
import { OPEN_STATES, syncSentence } from './sync-words.js';
import { templateQuery, templatesQuery } from './template-queries.js';

type Listed = Schema<'ListedTemplate'>;

/** All templates, each with how the devices compare with it. */
export function Templates(): ReactNode {
  const [{ make }] = useSearchText();
  if (make === undefined) return <List />;
  return make === 'adopt' ? <AdoptTemplate /> : <NewTemplate />;
}

function List(): ReactNode {
  const query = useQuery(templatesQuery);
  const go = useGo();
  const add = useMay('template.edit') && (
    <>
      <Button onClick={() => go('/templates', { make: 'adopt' })}>Copy from routers</Button>
      <Button kind="primary" icon="plus" onClick={() => go('/templates', { make: 'yes' })}>
        New template
      </Button>
    </>
  );
  return (
    <Page title="Templates" actions={query.data && query.data.items.length > 0 && add}>
      {query.error ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Loading />
      ) : query.data.items.length === 0 ? (
        <div className="card">
          <Empty title="No template yet" command="fleetgate template add base -f base.yaml" action={add}>
            A template says what the devices of a selector should be set to, option by option. All else on a router
            stays as it is. Once it is published, this screen shows which routers differ, and a rollout sets them to it.
            Making and publishing one changes no router. See{' '}
            <DocLink of="howto/set-routers-alike">Set routers alike</DocLink>.
          </Empty>
        </div>
      ) : (
        <div className="stack">
          <Table label="Templates" columns={COLUMNS} rows={query.data.items} rowKey={({ id }) => id} />
          {query.data.items.some(({ publishedNumber }) => publishedNumber !== null) && (
            <StateMeanings of={OPEN_STATES.slice(0, 2)} />
          )}
        </div>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Listed>[] = [
  {
    title: 'Template',
    cell: ({ name }) => (
      <To to={`/templates/${name}`} className="foreign cut" title={name}>
        {name}
      </To>
    ),
  },
  { title: 'Devices', narrow: 'line', cell: ({ selector }) => <SelectorText selector={selector} /> },
  { title: 'Sets', narrow: 'line', cell: (template) => <Sets template={template} /> },
  {
    title: 'Published',
    cell: (template) => <Published template={template} />,
    narrow: 'beside',
  },
  {
    title: 'How the devices compare',
    cell: (template) => <Compared template={template} isBrief={false} />,
    brief: (template) => <Compared template={template} isBrief />,
    narrow: 'block',
  },
  {
    title: 'Created',
    narrow: 'none',
    cell: ({ createdAt, createdByName }) => (
      <>
        <Ago at={createdAt} /> by <span className="foreign">{createdByName}</span>
      </>
    ),
  },
];

const SETS_SHOWN = 2;

/** What it decides: the first places and the number of settings. */
function Sets({ template: { name } }: { template: Listed }): ReactNode {
  const { data } = useQuery(templateQuery(name));
  if (!data) return <span className="quiet">…</span>;
  const places = data.items.map(titleOf);
  const settings = data.items.reduce(
    (sum, { options, sealed }) => sum + Object.keys(options).length + sealed.length,
    0,
  );
  const more = places.length - SETS_SHOWN;
  return (
    <>
      <span className="foreign">{places.slice(0, SETS_SHOWN).join(', ')}</span>
      {more > 0 && ` and ${countText(more, 'other')}`}
      <span className="quiet"> · {countText(settings, 'setting')}</span>
    </>
  );
}

/** The devices, in words or as the selector is written. */
export function SelectorText({ selector }: { selector: string | null }): ReactNode {
  if (selector === null) return <span className="quiet">not shown to you</span>;
  return (
    <To to="/devices" search={selector === 'all' ? {} : { selector }} title={selector}>
      {selectorWords(selector, stateText) ?? <code className="foreign cut">{selector}</code>}
    </To>
  );
}

export function Published({ template: { publishedNumber, orphaned, unreadable } }: { template: Listed }): ReactNode {
  if (orphaned) return <Mark tone="bad">Its author may not act any more</Mark>;
  if (unreadable) return <Mark tone="bad">A saved selector in it is gone</Mark>;
  if (publishedNumber === null) return <Mark tone="plain">Draft only</Mark>;
  return <Mark tone="set">{`Version ${publishedNumber}`}</Mark>;
}

function Compared({ template: { name, publishedNumber }, isBrief }: { template: Listed; isBrief: boolean }): ReactNode {
  const { data, error } = useQuery({ ...templateQuery(name), enabled: publishedNumber !== null });
  if (publishedNumber === null) return <span className="quiet">compared once it is published</span>;
  if (error) return <span className="quiet">not shown to you</span>;
  if (!data) return <span className="quiet">…</span>;
  return isBrief ? syncSentence(data.sync) : <SyncBar sync={data.sync} template={name} />;
}
