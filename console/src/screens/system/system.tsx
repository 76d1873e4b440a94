import { type ReactNode } from 'react';
import { useMay } from '../../api/may.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { Status } from './status.js';
import { WebhookScreen } from './webhook.js';
import { Webhooks } from './webhooks.js';

const TABS = [
  ['status', 'Status'],
  ['webhooks', 'Webhooks'],
] as const;

/** The gateway itself: its processes and tasks, and the webhooks that send its events. */
export function SystemScreen(): ReactNode {
  const [{ tab, webhook }] = useSearchText();
  const mayWebhooks = useMay('webhook.manage');
  const current = tab === 'webhooks' && mayWebhooks ? 'webhooks' : 'status';
  return (
    <Page title="System">
      {mayWebhooks && <Tabs label="Parts of the system" tabs={TABS} current={current} />}
      {current === 'status' ? <Status /> : webhook ? <WebhookScreen id={webhook} /> : <Webhooks />}
    </Page>
  );
}
