import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { Alerts } from './alerts.js';
import { Mutes } from './mutes.js';
import { Policies } from './policies.js';
import { Rules } from './rules.js';

const TABS = [
  ['alerts', 'Alerts'],
  ['rules', 'Rules'],
  ['mutes', 'Mutes'],
  ['policies', 'Metrics'],
] as const;

const PARTS: Readonly<Record<string, ReactNode>> = {
  rules: <Rules />,
  mutes: <Mutes />,
  policies: <Policies />,
};

/** Which devices need attention, by which rules, and which are sampled for it. */
export function Monitoring(): ReactNode {
  const [{ tab = 'alerts' }] = useSearchText();
  return (
    <Page title="Monitoring">
      <Tabs label="Parts of this screen" tabs={TABS} current={tab} />
      {PARTS[tab] ?? <Alerts />}
    </Page>
  );
}
