import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { ChangedPins } from './changed-pins.js';
import { Expiring } from './expiring.js';

const TABS = [
  ['trust', 'Changed certificates'],
  ['expiring', 'Certificates on devices'],
] as const;

/** Whether devices are still the ones that they were, and which of their certificates end soon. */
export function Certificates(): ReactNode {
  const [{ tab = 'trust' }] = useSearchText();
  return (
    <Page title="Certificates">
      <Tabs label="Parts of this screen" tabs={TABS} current={tab} />
      {tab === 'expiring' ? <Expiring /> : <ChangedPins />}
    </Page>
  );
}
