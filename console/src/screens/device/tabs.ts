import { type ComponentType, lazy } from 'react';
import { type Schema } from '../../api/client.js';

type Tab = ComponentType<{ device: Schema<'Device'> }>;

interface DeviceTab {
  /** In the address. */
  readonly key: string;
  readonly label: string;
  readonly component: Tab;
  /** Loads its script, so that it is there when the device has come. */
  readonly load: () => void;
}

const tab = (key: string, label: string, load: () => Promise<Tab>): DeviceTab => ({
  key,
  label,
  component: lazy(async () => ({ default: await load() })),
  load: () => void load().catch(() => undefined), // the tab itself says so
});

/** The tabs of a device, in their order. Each is loaded when it is opened. */
export const TABS: readonly DeviceTab[] = [
  tab('overview', 'Overview', async () => (await import('./overview/overview.js')).DeviceOverview),
  tab('status', 'Live status', async () => (await import('../device-status/live-status.js')).LiveStatus),
  tab(
    'configuration',
    'Configuration',
    async () => (await import('../device-configuration/device-configuration.js')).DeviceConfiguration,
  ),
  tab('templates', 'Templates', async () => (await import('../templates/device-templates.js')).DeviceTemplates),
  tab('history', 'Changes', async () => (await import('../observed/device-history.js')).DeviceHistory),
  tab('alerts', 'Alerts', async () => (await import('../monitoring/device-alerts.js')).DeviceAlerts),
  tab('jobs', 'Jobs', async () => (await import('./lists.js')).DeviceJobs),
  tab('backups', 'Backups', async () => (await import('./lists.js')).DeviceBackups),
  tab('trust', 'Certificates', async () => (await import('./trust.js')).DeviceTrust),
  tab('sessions', 'Sessions', async () => (await import('./sessions.js')).DeviceSessions),
  tab('audit', 'Audit', async () => (await import('./lists.js')).DeviceAudit),
  tab('api', 'API', async () => (await import('../device-api/device-api.js')).DeviceApi),
];

/** Tabs of earlier versions, and those that have what they showed: links to them are in mails and notes. */
const MOVED: Readonly<Record<string, string>> = { values: 'status' };

/** The tab of an address; the first one where it names none. */
export const tabAt = (key: string | undefined): DeviceTab | undefined => {
  const wanted = key === undefined ? undefined : (MOVED[key] ?? key);
  return TABS.find((one) => one.key === wanted) ?? TABS[0];
};
