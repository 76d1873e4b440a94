import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { triedText } from '../../ui/action-text.js';
import { Button } from '../../ui/button.js';
import { ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty, Notice } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { To, useSearchText } from '../../ui/to.js';
import { Actor } from './actor.js';
import { AuditFilters } from './audit-filters.js';
import { EntryDialog } from './entry.js';
import { ExportDialog } from './export.js';
import { ProofBadge } from './proof-badge.js';
import { Subject } from './subject.js';
import { useFilters } from './use-filters.js';
import { VerifyDialog } from './verify.js';
import { When } from './when.js';

/** Who did what to what, newest first, and whether the log is as it was written. */
export function Audit(): ReactNode {
  const [search, change] = useSearchText();
  const mayVerify = useMay('audit.verify');
  const mayExport = useMay('audit.export');
  return (
    <Page
      title="Audit"
      beside={<ProofBadge />}
      actions={
        <>
          {mayVerify && (
            <Button icon="shield" onClick={() => change({ verify: 'yes' })}>
              Verify now
            </Button>
          )}
          {mayExport && <Button onClick={() => change({ export: 'yes' })}>Export</Button>}
        </>
      }
    >
      <AuditFilters />
      <Entries />
      {search['entry'] && <EntryDialog entryId={search['entry']} onClose={() => change({ entry: undefined })} />}
      {search['verify'] === 'yes' && mayVerify && <VerifyDialog onClose={() => change({ verify: undefined })} />}
      {search['export'] === 'yes' && mayExport && <ExportDialog onClose={() => change({ export: undefined })} />}
    </Page>
  );
}

function Entries(): ReactNode {
  const { query, unknownDevice, isNarrowed } = useFilters();
  const list = useList('/v1/audit', { key: KEYS.audit.list, query, enabled: !unknownDevice });
  if (unknownDevice) return <Notice tone="warn">No device of that name. Type its complete name, or its id.</Notice>;
  return (
    <ListTable
      label="Audit entries"
      list={list}
      rowKey={({ id }) => id}
      columns={[
        { title: 'When', cell: ({ openedAt }) => <When at={openedAt} /> },
        { title: 'Who', cell: (entry) => <Actor entry={entry} /> },
        { title: 'What', narrow: 'heading', cell: (entry) => <EntryLink entry={entry} /> },
        { title: 'On what', cell: (entry) => <Subject entry={entry} /> },
        { title: 'Outcome', narrow: 'beside', cell: ({ outcome }) => <StateMark state={outcome ?? 'open'} /> },
      ]}
      empty={<NoEntries isNarrowed={isNarrowed} />}
    />
  );
}

function EntryLink({ entry: { id, action, outcome } }: { entry: Schema<'AuditEntry'> }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="/audit" search={{ ...search, entry: id }} title={action}>
      {triedText(action, outcome)}
    </To>
  );
}

function NoEntries({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No entry matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No entries yet" command="fleetgate audit follow">
      Each change, and each read of something secret, is an entry here: written before its effect, closed after it.
    </Empty>
  );
}
