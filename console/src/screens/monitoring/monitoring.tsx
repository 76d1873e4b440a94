import { lazy, type ReactNode, Suspense } from 'react';
import { useMay } from '../../api/may.js';
import { Page } from '../../ui/page.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';
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
  ['receivers', 'Receivers'],
] as const;

const Receivers = lazy(async () => ({ default: (await import('../system/webhook-list.js')).Webhooks }));

const PARTS: Readonly<Record<string, ReactNode>> = {
  rules: <Rules />,
  mutes: <Mutes />,
  policies: <Policies />,
  receivers: (
    <Suspense fallback={<AwaitedCards />}>
      <Receivers />
    </Suspense>
  ),
};

/** Which devices need attention, by which rules, and which are sampled for it. */
export function Monitoring(): ReactNode {
  const [{ tab = 'alerts' }] = useSearchText();
  const maySend = useMay('webhook.manage');
  const tabs = TABS.filter(([key]) => key !== 'receivers' || maySend);
  return (
    <Page title="Monitoring">
      <Tabs label="Parts of this screen" tabs={tabs} current={tab} />
      {(tabs.some(([key]) => key === tab) && PARTS[tab]) || <Alerts />}
    </Page>
  );
}
