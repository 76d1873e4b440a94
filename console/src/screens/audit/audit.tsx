import { type ReactNode } from 'react';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Page } from '../../ui/page.js';
import { useSearchText } from '../../ui/to.js';
import { AuditFilters } from './audit-filters.js';
import { EntryDialog } from './entry/entry-dialog.js';
import { EntryList } from './entry-list.js';
import { ExportDialog } from './export.js';
import { ProofBadge } from './proof-badge.js';
import { VerifyDialog } from './verify.js';

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
      <EntryList />
      {search['entry'] && <EntryDialog entryId={search['entry']} onClose={() => change({ entry: undefined })} />}
      {search['verify'] === 'yes' && mayVerify && <VerifyDialog onClose={() => change({ verify: undefined })} />}
      {search['export'] === 'yes' && mayExport && <ExportDialog onClose={() => change({ export: undefined })} />}
    </Page>
  );
}
