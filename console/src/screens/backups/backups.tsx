import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { BackupFiles } from './backup-files.js';
import { Compare } from './compare.js';
import { Coverage } from './coverage.js';
import { Policies } from './policies.js';

const TABS = [
  ['coverage', 'Coverage'],
  ['files', 'Backups'],
  ['policies', 'Policies'],
  ['compare', 'Compare'],
] as const;

/** Backups of devices: which are missing, what is stored, how two differ, and who is backed up when. */
export function Backups(): ReactNode {
  const [{ tab = 'coverage' }] = useSearchText();
  return (
    <Page title="Backups">
      <Tabs label="Parts of this screen" tabs={TABS} current={tab} />
      {tab === 'files' ? (
        <BackupFiles />
      ) : tab === 'policies' ? (
        <Policies />
      ) : tab === 'compare' ? (
        <Compare />
      ) : (
        <Coverage />
      )}
    </Page>
  );
}
