import { type Fleet } from '../../../src/simulator/fleet.js';
import { TemplateStateSweeper } from '../../../src/templates/states/template-state.sweeper.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { type TestGateway } from '../gateway.js';
import { until } from '../until.js';

/** Simulated devices that a gateway has registered, with something on each screen. */
export interface RealFleet {
  readonly fleet: Fleet;
  /** Ids in the gateway, `router-1` first. */
  readonly ids: readonly string[];
  readonly jobId: string;
  readonly rolloutId: string;
  readonly fanOutId: string;
}

interface CreatedRow {
  readonly id: string;
}

const DEVICES = 5;

/** Registers devices, makes a backup of one, a rollout over all and a stored fan-out. The caller closes the fleet. */
export async function startRealFleet({ api }: TestGateway): Promise<RealFleet> {
  const fleet = await startOwnFleet({ devices: DEVICES, seed: 7, timeScale: 600 });
  const ids: string[] = [];
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const { id } = await api.post<CreatedRow>('/v1/devices', {
      name: `router-${index + 1}`,
      baseUrl,
      site: index % 2 === 0 ? 'north' : 'south',
      tags: ['pump'],
      credentials: { username, password },
    });
    ids.push(id);
  }
  const { id: jobId } = await api.post<CreatedRow>(`/v1/devices/${ids[0]}/jobs`, { kind: 'backup' });
  const { id: fanOutId } = await api.post<CreatedRow>('/v1/fan-outs', {
    selector: 'tag:pump',
    request: { method: 'GET', path: '/api/system/device/status' },
  });
  const { id: rolloutId } = await api.post<CreatedRow>('/v1/rollouts', {
    name: 'weekly backups',
    selector: 'tag:pump',
    kind: 'backup',
  });
  return { fleet, ids, jobId, rolloutId, fanOutId };
}

/** Ids of objects, by the names that the addresses of the console have for them. */
export type Places = Readonly<
  Record<
    'ref' | 'jobId' | 'rolloutId' | 'fanOutId' | 'alertId' | 'entryId' | 'operatorId' | 'webhookId' | 'templateName',
    string
  >
>;

const TIME = '/api/ntp/servers/config';

const TEMPLATE = {
  name: 'base',
  selector: 'tag:pump',
  items: [{ path: TIME, key: { id: '1' }, options: { hostname: 'time.example' } }],
};

/** Adds what else has a screen or a row: a certificate, samples, an alert, a webhook, a lock, a template, and an entry of the audit with a difference. */
export async function fillScreens({ api, gateway }: TestGateway, real: RealFleet): Promise<Places> {
  const { ids, jobId, rolloutId, fanOutId } = real;
  const ref = ids[0]!;
  const spec = { type: 'server', name: 'web', days: 20 };
  const job = await api.post<CreatedRow>(`/v1/devices/${ids[1]}/jobs`, { kind: 'certificates', spec });
  const hook = { name: 'pager', url: 'https://pager.invalid/hook', types: ['system.*'] };
  const { id: webhookId } = await api.post<CreatedRow>('/v1/webhooks', hook);
  await api.post('/v1/monitoring/policies', { name: 'all routers', selector: 'tag:pump', everySeconds: 60 });
  await api.post('/v1/monitoring/rules', { name: 'alarms', selector: 'name:router-1', forSeconds: 0 });
  await api.post('/v1/watches/accounts/run', {});
  await api.send('PATCH', `/v1/devices/${ref}`, { note: 'Keys at the gate' });
  await until(async () => (await api.get<{ phase: string }>(`/v1/jobs/${job.id}`)).phase === 'ended');
  const alert = await until(
    async () => (await api.get<{ items: CreatedRow[] }>('/v1/monitoring/alerts')).items[0] ?? false,
  );
  await until(
    async () => (await api.get<{ groups: unknown[] }>('/v1/observed?path=/api/users/config')).groups.length > 0,
  );
  await api.post('/v1/watches', { name: 'time', selector: 'tag:pump', paths: [TIME] });
  await api.post('/v1/watches/time/run', {});
  await until(async () => (await api.get<{ unread: number }>(`/v1/observed?path=${TIME}`)).unread === 0);
  await api.post('/v1/templates', TEMPLATE);
  await api.post('/v1/templates/base/publish', { reason: 'one time server' });
  await gateway.app.get(TemplateStateSweeper).sweep();
  await api.send('PUT', '/v1/templates/base', { ...TEMPLATE, selector: 'name:router-*' });
  await api.post('/v1/locks', { kind: 'device', target: ids[4], reason: 'trade fair' });
  const { items } = await api.get<{ items: CreatedRow[] }>('/v1/audit?action=device.change&limit=1');
  const { operatorId } = await api.get<{ operatorId: string }>('/v1/self');
  const [alertId, entryId] = [alert.id, items[0]!.id];
  return { ref, jobId, rolloutId, fanOutId, alertId, webhookId, entryId, operatorId, templateName: TEMPLATE.name };
}
