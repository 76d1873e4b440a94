import { type ApiClient } from '../api-client/api-client.js';
import { PATHS } from '../device-api/contract.js';
import { type Fleet } from '../simulator/fleet.js';
import { demoDevice } from './fleet-plan.js';

/*
 * Watches of the demo, a template, and routers that differ: kiosks have a time server of their own, one router got another one
 * through the gateway, and one got an account behind its back.
 */

const TIME = '/api/ntp/servers/config';

const WATCHES = [
  { name: 'accounts', selector: 'all', paths: [PATHS.users, PATHS.groups] },
  { name: 'time', selector: 'all', paths: [TIME] },
];

const TEMPLATE = {
  name: 'base',
  selector: 'tag:demo',
  items: [{ path: TIME, key: { id: '1' }, options: { hostname: '0.pool.ntp.org' } }],
};

/** What the kiosks have, on its way to a template of their own. */
const DRAFT = {
  name: 'kiosks',
  selector: 'tag:kiosk',
  items: [{ path: TIME, key: { id: '1' }, options: { hostname: 'time.kiosks.example' } }],
};

/** By their numbers in the fleet. */
const CHANGED_BY_US = 0;
const CHANGED_BEHIND = 3;

const BACKUP_MS = 60_000;

const FOREIGN_ACCOUNT = { username: 'service', password: 'Installer-2019', group: 'root' };

export interface WatchedFleet {
  readonly api: ApiClient;
  readonly fleet: Fleet;
  readonly ids: readonly string[];
  /** Compares the devices with what is published. */
  readonly compare: () => Promise<unknown>;
  /** Waits until something holds, or notes that it does not. */
  readonly until: (otherwise: string, holds: () => Promise<boolean>) => Promise<void>;
}

/** Switches the watches on, and makes the differences that they find. An earlier run of the demo has done so. */
export async function watchFleet({ api, fleet, ids, compare, until }: WatchedFleet): Promise<void> {
  const { items } = await api.get('/v1/watches');
  if (items.some(({ name }) => name === 'time')) return;
  const kiosks = ids.filter((_, index) => demoDevice(index).tags.includes('kiosk'));
  for (const id of kiosks) await setTimeServer(api, id, 'time.kiosks.example');
  for (const watch of WATCHES) {
    const params = { path: { watchName: watch.name } };
    if (items.some(({ name }) => name === watch.name))
      await api.put('/v1/watches/{watchName}', { params, body: watch });
    else await api.post('/v1/watches', { body: watch });
    // By itself, a first pass is spread over minutes.
    await api.post('/v1/watches/{watchName}/run', { params, body: {} });
  }
  const isRead = async () => {
    const watches = (await api.get('/v1/watches')).items.filter(({ enabled }) => enabled);
    return watches.every(({ devices, unreadDevices }) => devices === ids.length && unreadDevices === 0);
  };
  await until('the watches have not read all routers', isRead);
  await publishTemplate(api);
  await compare();
  await setTimeServer(api, ids[CHANGED_BY_US]!, 'time.plant.example');
  fleet.devices[CHANGED_BEHIND]!.accounts.addUser(FOREIGN_ACCOUNT);
  for (const index of [CHANGED_BY_US, CHANGED_BEHIND]) await readAgain(api, ids[index]!);
  await compare();
  await until('the watches found no change', async () => {
    const query = { selector: 'observed.changed<1d', limit: 10 };
    return (await api.get('/v1/devices', { params: { query } })).items.length === 2;
  });
}

/** Backups of a router and a kiosk whose time server was changed: they differ from those of the morning. @returns what failed */
export async function backUpChanged(api: ApiClient, ids: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  for (const id of [ids[CHANGED_BY_US]!, ids[CHANGED_BY_US + 1]!]) {
    const params = { path: { ref: id }, header: { 'X-Change-Reason': 'After the change of the time server' } };
    const job = await api.post('/v1/devices/{ref}/jobs', { params, body: { kind: 'backup', spec: {} } });
    const { outcome } = await api.jobs.wait(job.id, { signal: AbortSignal.timeout(BACKUP_MS) });
    if (outcome !== 'succeeded') broken.push(`the backup of a changed router has ${outcome ?? 'not ended'}`);
  }
  return broken;
}

/** It is published while the kiosks differ, and compared before another router does: so that one has drifted. */
async function publishTemplate(api: ApiClient): Promise<void> {
  const params = { path: { templateName: TEMPLATE.name } };
  await api.post('/v1/templates', { body: TEMPLATE });
  await api.post('/v1/templates/{templateName}/publish', { params, body: { reason: 'One time server for all' } });
  await api.post('/v1/templates', { body: DRAFT });
}

const setTimeServer = (api: ApiClient, id: string, hostname: string) =>
  api.request('PUT', `/v1/devices/${id}${TIME}/1`, { json: { data: { hostname } } });

const readAgain = (api: ApiClient, ref: string) =>
  api.get('/v1/devices/{ref}/observed', { params: { path: { ref }, query: { fresh: 'true' } } });
