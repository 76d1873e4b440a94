import { type ReactNode } from 'react';
import { useMay } from '../../api/may.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { Settings } from './settings.js';
import { Status } from './status.js';
import { WebhookScreen } from './webhook.js';
import { Webhooks } from './webhook-list.js';

const TABS = [
  ['status', 'Status'],
  ['settings', 'Settings'],
  ['webhooks', 'Webhooks'],
] as const;

/** The gateway itself: its processes, tasks and settings, and the webhooks that send its events. */
export function SystemScreen(): ReactNode {
  const [{ tab, webhook }] = useSearchText();
  const mayWebhooks = useMay('webhook.manage');
  const tabs = TABS.filter(([key]) => key !== 'webhooks' || mayWebhooks);
  const current = tabs.find(([key]) => key === tab)?.[0] ?? 'status';
  return (
    <Page title="System">
      <Tabs label="Parts of the system" tabs={tabs} current={current} />
      {current === 'status' && <Status />}
      {current === 'settings' && <Settings />}
      {current === 'webhooks' && (webhook ? <WebhookScreen id={webhook} /> : <Webhooks />)}
    </Page>
  );
}
