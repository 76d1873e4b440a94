import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { isRefused } from '../../api/problems.js';
import { useRecent } from '../../shell/palette/use-recent.js';
import { Button } from '../../ui/button.js';
import { Empty, Failure, Loading, Notice } from '../../ui/messages.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { RowMenu } from '../../ui/row-menu.js';
import { Tabs } from '../../ui/tabs.js';
import { Ago } from '../../ui/time.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { isChanged } from './draft-difference.js';
import { EditDraft } from './draft/edit-draft.js';
import { Drift } from './drift.js';
import { Items } from './items.js';
import { Plan } from './plan.js';
import { PublishDialog } from './publish.js';
import { PutBackAll } from './put-back/put-back-all.js';
import { RemoveTemplate } from './remove-template.js';
import { StateMeanings, SyncBar } from './sync-bar.js';
import { countOf, OPEN_STATES, planTitle, syncSentence } from './sync-words.js';
import { Published, SelectorText } from './template-list.js';
import { templateQuery, useStatesSoon, versionQuery } from './template-queries.js';
import { Versions } from './versions.js';

type Template = Schema<'Template'>;

const TABS = [
  ['drift', 'Devices'],
  ['draft', 'What it says'],
  ['plan', 'Plan'],
  ['versions', 'Versions'],
] as const;

/** One template: how devices compare with it, what it says, what the draft would change, and its versions. */
export function TemplateScreen(): ReactNode {
  const { templateName = '' } = useParams({ strict: false }) as { templateName?: string };
  const { data, error, refetch } = useQuery(templateQuery(templateName));
  const [{ tab }] = useSearchText();
  useRecent(data?.name, `/templates/${templateName}`);
  if (data) return tab === 'edit' ? <EditDraft template={data} /> : <Loaded template={data} />;
  if (isRefused(error, 'template_not_found')) return <NoSuchTemplate />;
  return <Page title="Template">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}</Page>;
}

function NoSuchTemplate(): ReactNode {
  return (
    <Page title="There is no such template">
      <div className="card">
        <Empty title="No template has this name" action={<To to="/templates">All templates</To>}>
          It was removed, or it reaches no device that you may see.
        </Empty>
      </div>
    </Page>
  );
}

function Loaded({ template }: { template: Template }): ReactNode {
  const { name, publishedNumber } = template;
  const [search] = useSearchText();
  const tab = search['tab'] ?? (publishedNumber === null ? 'draft' : 'drift');
  const published = useQuery(versionQuery(name, publishedNumber));
  useStatesSoon(template, published.data?.publishedAt);
  const isOpen = published.data ? isChanged(template, published.data) : publishedNumber === null;
  return (
    <Page
      title={name}
      beside={<Published template={template} />}
      actions={<Actions template={template} isChanged={isOpen} />}
    >
      {isOpen && <OpenDraft template={template} />}
      {tab === 'drift' ? <About template={template} /> : <AboutLine template={template} />}
      <Tabs label="Parts of this template" tabs={TABS} current={tab} />
      {tab === 'draft' ? (
        <Items template={template} published={published.data ?? null} />
      ) : tab === 'plan' ? (
        <Plan template={template} />
      ) : tab === 'versions' ? (
        <Versions template={template} />
      ) : (
        <Drift template={template} />
      )}
    </Page>
  );
}

function OpenDraft({ template: { name, publishedNumber } }: { template: Template }): ReactNode {
  const tab = (to: string, text: string) => (
    <To to={`/templates/${name}`} search={{ tab: to }}>
      {text}
    </To>
  );
  return (
    <Notice>
      {publishedNumber === null
        ? 'This is a draft: no device is compared with it before it is published.'
        : `The draft differs from version ${publishedNumber}, which stays in force until the draft is published.`}
      <span className="row">
        {tab('draft', 'See the draft')}
        {tab('plan', 'See what it would change')}
      </span>
    </Notice>
  );
}

function About({ template }: { template: Template }): ReactNode {
  const { selector, sync, publishedNumber, createdByName, createdAt, name } = template;
  return (
    <Card>
      <div className="stack">
        {publishedNumber !== null && <SyncBar sync={sync} template={name} />}
        <StateMeanings of={OPEN_STATES.filter((state) => (sync[state] ?? 0) > 0)} />
        <Facts
          of={[
            ['Devices', <SelectorText key="devices" selector={selector} />],
            [
              'Created',
              <>
                <Ago at={createdAt} /> by <span className="foreign">{createdByName}</span>
              </>,
            ],
          ]}
        />
      </div>
    </Card>
  );
}

/** The same in one line, beside what a tab is about. */
function AboutLine({ template: { selector, sync, publishedNumber } }: { template: Template }): ReactNode {
  return (
    <p className="small quiet">
      For <SelectorText selector={selector} />
      {publishedNumber !== null && ` · ${syncSentence(sync)}`}
    </p>
  );
}

type Open = 'publish' | 'apply' | 'remove' | null;

function Actions({ template, isChanged: isOpen }: { template: Template; isChanged: boolean }): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const [mayEdit, mayPublish] = [useMay('template.edit'), useMay('template.publish')];
  const mayRollOut = useMay('rollout.manage');
  const go = useGo();
  const { name, sync } = template;
  const differing = countOf(sync, OPEN_STATES);
  const close = () => setOpen(null);
  return (
    <>
      {mayEdit && (
        <Button data-key="e" onClick={() => go(`/templates/${name}`, { tab: 'edit' })}>
          Edit the draft
        </Button>
      )}
      {mayPublish && isOpen && (
        <Button kind="primary" title={`fleetgate template publish ${name}`} onClick={() => setOpen('publish')}>
          Publish
        </Button>
      )}
      {mayRollOut && differing > 0 && (
        <Button
          kind={isOpen ? 'plain' : 'primary'}
          title={`fleetgate template rollout ${name}`}
          onClick={() => setOpen('apply')}
        >
          {planTitle(differing)}
        </Button>
      )}
      <RowMenu of={name} actions={[mayEdit && { text: 'Remove', isDanger: true, onSelect: () => setOpen('remove') }]} />
      {open === 'apply' && <PutBackAll template={template} onClose={close} />}
      {open === 'publish' && <PublishDialog template={template} onClose={close} />}
      {open === 'remove' && <RemoveTemplate template={template} onClose={close} />}
    </>
  );
}
