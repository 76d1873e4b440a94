import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { Items } from './items.js';
import { SelectorText } from './template-list.js';
import { versionQuery } from './template-queries.js';

type Version = Schema<'ListedTemplateVersion'>;

/** What was published when, by whom and why; each can be read again. */
export function Versions({ template: { name, publishedNumber } }: { template: Schema<'Template'> }): ReactNode {
  const [{ version }, change] = useSearchText();
  const list = useList('/v1/templates/{templateName}/versions', {
    key: KEYS.templates.versions(name),
    path: { templateName: name },
  });
  return (
    <>
      <ListTable
        label="Versions of the template"
        list={list}
        columns={columnsOf(name, publishedNumber)}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title="No version yet"
            command={`fleetgate template publish ${name} --reason 'one time server for all'`}
          >
            Publishing makes a version that never changes. It changes no router.
          </Empty>
        }
      />
      {version !== undefined && (
        <VersionDialog name={name} number={Number(version)} onClose={() => change({ version: undefined })} />
      )}
    </>
  );
}

const columnsOf = (name: string, inForce: number | null): readonly Column<Version>[] => [
  {
    title: 'Version',
    cell: ({ number }) => (
      <To to={`/templates/${name}`} search={{ tab: 'versions', version: String(number) }}>
        {`Version ${number}`}
      </To>
    ),
  },
  {
    title: 'State',
    cell: ({ number }) =>
      number === inForce ? <Mark tone="set">In force</Mark> : <span className="quiet">earlier</span>,
  },
  { title: 'Reason', narrow: 'block', cell: ({ reason }) => <span className="foreign">{reason}</span> },
  { title: 'Devices', narrow: 'none', cell: ({ selector }) => <SelectorText selector={selector} /> },
  {
    title: 'Published by',
    narrow: 'line',
    cell: ({ createdByName }) => <span className="foreign cut">{createdByName}</span>,
  },
  { title: 'Published', narrow: 'line', cell: ({ publishedAt }) => <Ago at={publishedAt} /> },
];

/** What a version says, beside the one before it. */
function VersionDialog({ name, number, onClose }: { name: string; number: number; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useQuery(versionQuery(name, number));
  const before = useQuery(versionQuery(name, number > 1 ? number - 1 : null));
  const mayEdit = useMay('template.edit');
  const copy = useCopy(name, data ?? null);
  return (
    <Dialog title={`Version ${number} of ${name}`} size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Loading />
        ) : (
          <>
            <p>
              <span className="foreign">{data.reason}</span>{' '}
              <span className="quiet">
                – <span className="foreign">{data.createdByName}</span>, <Ago at={data.publishedAt} />
              </span>
            </p>
            <Items template={data} published={before.data ?? null} />
          </>
        )}
      </div>
      {mayEdit && data && data.selector !== null && (
        <div className="dialog-foot">
          <Button busy={copy.isPending} onClick={() => copy.mutate()}>
            Copy into the draft
          </Button>
        </div>
      )}
    </Dialog>
  );
}

/** Makes the draft what a version says, so that it can be published again. */
function useCopy(name: string, version: Schema<'TemplateVersion'> | null) {
  const go = useGo();
  const address = '/v1/templates/{templateName}';
  const path = { templateName: name };
  return useAction({
    run: async () => {
      const { headers } = await api.answer('get', address, { params: { path } });
      const header = { 'If-Match': headers.get('etag') ?? '*' };
      const body = { name, selector: version?.selector ?? '', items: version?.items ?? [] } as Schema<'SaveTemplate'>;
      return api.put(address, { params: { path, header }, body });
    },
    done: `Version ${version?.number ?? ''} is copied into the draft; what is published stays in force`,
    refreshes: ['templates'],
    after: () => go(`/templates/${name}`, { tab: 'draft' }),
  });
}
