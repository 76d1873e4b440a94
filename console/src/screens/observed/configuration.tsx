import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { FleetChanges } from './fleet-changes.js';
import { Groups } from './groups.js';
import { Matrix } from './matrix.js';
import { Watches } from './watches.js';

const TABS = [
  ['alike', 'Drift'],
  ['table', 'Table'],
  ['changes', 'Changes'],
  ['watches', 'Watches'],
] as const;

/** What the fleet has: which routers are set alike, what each of them has, what changed, and which watches read it. */
export function Configuration(): ReactNode {
  const [{ tab = 'alike' }] = useSearchText();
  return (
    <Page title="Configuration">
      <Tabs label="Parts of this screen" tabs={TABS} current={tab} />
      {tab === 'watches' ? (
        <Watches />
      ) : tab === 'changes' ? (
        <FleetChanges />
      ) : tab === 'table' ? (
        <Matrix />
      ) : (
        <Groups />
      )}
    </Page>
  );
}
