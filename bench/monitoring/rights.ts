/*
 * C9: what does an operator of one site learn of the others? All GET routes of the API document without a parameter in
 * their path, those of foreign devices and alerts, the stream of events, the scrape and a notification are read with a
 * key of theirs, byte by byte: names, ids, serial and MAC numbers, addresses, sites and measured values of other
 * devices are searched in them. The same search in what an administrator reads shows that it would find them. Mail is
 * searched by its own test.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './installation.js';
import { addReceiver, NONE, openAlerts, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const OURS = { site: 'a/one', devices: 10 };
const DEVICES = 20;
const STATUS_S = 60;
const RULE = { name: 'away', selector: 'state:offline', forSeconds: 0, clearAfterSeconds: 0 };
const RECEIVER = 'narrow';
const ALL_RECEIVER = 'all';

/** Routers that lose power: fewer than make the gateway doubt its line. */
const AWAY = { ours: 1, others: 5 };

/** The first of each site: sites are one after the other. */
const FIRST = { ours: 0, others: OURS.devices };

/** What a watcher of one site has: the devices of the site, and what is about the gateway itself. */
const RULES = [
  { effect: 'allow', permissions: ['device.*', 'job.*', 'alert.*', 'audit.read'], selector: `site:${OURS.site}` },
  {
    effect: 'allow',
    permissions: ['monitoring.*', 'webhook.manage', 'backup.read', 'rollout.read', 'metrics.read', 'discovery.read'],
  },
];

export async function measureRights(bench: Bench): Promise<void> {
  const plan = {
    devices: DEVICES,
    scale: 60,
    sites: [OURS.site, 'b/two'],
    receivers: [ALL_RECEIVER],
    installation: { settings: { STATUS_EVERY_SECONDS: String(STATUS_S) } },
  };
  await withScene(bench, plan, async (scene) => {
    const { site, receivers } = scene;
    const key = await watcherKey(scene);
    await site.api.post('/v1/monitoring/rules', RULE);
    await site.api.post('/v1/monitoring/policies', { name: 'all routers', selector: 'all', everySeconds: 60 });
    await addReceiver(site, receivers, RECEIVER, { key });
    await untilOnline(scene);
    const sampled = () => site.count('select count(*) from device_sample');
    await until('all routers are sampled', async () => (await sampled()) === DEVICES);
    const streams = { narrow: follow(`${site.url}/v1/events`, key), all: follow(`${site.url}/v1/events`, site.key) };
    await scene.routers.switchOff(FIRST.ours, FIRST.ours + AWAY.ours);
    await scene.routers.switchOff(FIRST.others, FIRST.others + AWAY.others);
    await until('alerts are open', async () => (await openAlerts(site, RULE.name)) === AWAY.ours + AWAY.others);
    await until('receivers were told', async () =>
      [RECEIVER, ALL_RECEIVER].every((name) => receivers.arrived(name, RULE.name).length > 0),
    );
    const narrow = [...(await readAll(scene, key)), ['event stream', streams.narrow.text()] as const];
    const all = [...(await readAll(scene, site.key)), ['event stream', streams.all.text()] as const];
    await tellTexts(
      bench,
      scene,
      withNotifications(scene, narrow, RECEIVER),
      withNotifications(scene, all, ALL_RECEIVER),
    );
    await tellCounts(bench, scene, key);
  });
}

async function watcherKey({ site }: Scene): Promise<string> {
  await site.api.send('PUT', '/v1/roles/watcher', { rules: RULES });
  const operator = await site.api.post<{ id: string }>('/v1/operators', { name: 'Watcher', role: 'viewer' });
  await site.api.send('PUT', `/v1/operators/${operator.id}/roles`, { roles: [{ role: 'watcher' }] });
  const made = { operatorId: operator.id, name: 'bench' };
  return (await site.api.post<{ key: string }>('/v1/api-keys', made)).key;
}

/** A stream ends no answer: so much of it is read. */
const STREAM_MS = 1_000;

/** Reads an answer until its text is asked for. @returns when it has ended, and what has come */
function follow(url: string, key: string): { readonly text: () => string; readonly whole: Promise<void> } {
  const ended = new AbortController();
  let text = '';
  const reading = async () => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: ended.signal });
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) text += decoder.decode(chunk as Uint8Array, { stream: true });
  };
  const whole = reading().catch(() => undefined); // its end is ours
  return {
    whole,
    text: () => {
      ended.abort();
      return text;
    },
  };
}

type Text = readonly [where: string, text: string];

async function readAll({ site, routers }: Scene, key: string): Promise<Text[]> {
  const document = (await (await fetch(`${site.url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: object }>;
  };
  const plain = Object.entries(document.paths)
    .filter(([path, operations]) => operations.get && !path.includes('{') && path !== '/v1/events')
    .map(([path]) => path);
  const { name } = routers.all[FIRST.others]!;
  const [foreign] = await site.rows<{ device: string; alert: string }>(
    `select device.id as device, alert.id as alert from device join alert on alert.device_id = device.id where device.name = $1`,
    [name],
  );
  const fields = 'fields=name,sample,sampling,loginsToday';
  const paths = [
    ...plain,
    `/v1/devices?${fields}`,
    `/v1/devices?selector=${encodeURIComponent('rsrp<0 | sample<1d')}&${fields}`,
    '/v1/monitoring/alerts?state=all',
    ...['', '/sample', '/sample/history?metric=rsrp', '/history'].map((end) => `/v1/devices/${foreign!.device}${end}`),
    `/v1/monitoring/alerts/${foreign!.alert}`,
  ];
  const texts: Text[] = [];
  for (const path of paths) {
    const { whole, text } = follow(site.url + path, key);
    await Promise.race([whole, sleep(STREAM_MS)]);
    texts.push([path, text()]);
  }
  // What the reader asked for itself is no news to it.
  return texts.map(([path, text]) => [path, text.replaceAll(foreign!.device, '').replaceAll(foreign!.alert, '')]);
}

const withNotifications = ({ receivers }: Scene, texts: readonly Text[], receiver: string): Text[] => [
  ...texts,
  ...receivers.arrived(receiver).map(({ text }): Text => ['notification', text]),
];

async function tellTexts(
  { report }: Bench,
  { site }: Scene,
  narrow: readonly Text[],
  all: readonly Text[],
): Promise<void> {
  const rows = await site.rows<Record<string, string | null>>(
    `select device.id, device.name, serial, mac, base_url, site, trust_pin, latitude::text, longitude::text, data_month::text
       from device join device_sample on device_id = device.id where site <> $1`,
    [OURS.site],
  );
  const needles = [...new Set(rows.flatMap((row) => Object.values(row)))].filter((value) => value && value.length > 4);
  const found = (texts: readonly Text[]) =>
    texts.filter(([, text]) => needles.some((needle) => text.includes(needle!))).map(([where]) => where);
  const wrong = found(narrow);
  const control = found(all);
  if (control.length === 0) throw new Error('the search finds nothing in what an administrator reads');
  report.add({
    id: 'C9',
    what: 'an operator of one site: texts with something of other devices',
    value: wrong.length,
    unit: 'texts',
    ...NONE,
    detail:
      `${narrow.length} answers, streams and notifications searched for ${needles.length} names, numbers and values` +
      `${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}; the same search finds some in ${control.length} of ${all.length} of an administrator`,
  });
}

/** Numbers that would be greater with the other site. */
async function tellCounts({ report }: Bench, { site, receivers }: Scene, key: string): Promise<void> {
  const api = site.apiOf(key);
  interface Items<Item = unknown> {
    readonly items: readonly Item[];
  }
  const policies = await api.get<Items<{ devices: number; slowedDevices: number }>>('/v1/monitoring/policies');
  const rules = await api.get<Items<{ name: string; open: number }>>('/v1/monitoring/rules');
  const alerts = await api.get<Items>('/v1/monitoring/alerts');
  const devices = await api.get<Items>('/v1/devices');
  const price = await api.post<{ devices: number }>('/v1/monitoring/policies/price', { selector: 'all' });
  const series = (await api.send<string>('GET', '/v1/metrics/devices')).body;
  const told = receivers.arrived(RECEIVER, RULE.name).at(-1)!.data;
  const counts: readonly (readonly [string, number, number])[] = [
    ['devices of the policy', policies.items[0]!.devices, OURS.devices],
    ['open alerts of the rule', rules.items.find(({ name }) => name === RULE.name)!.open, AWAY.ours],
    ['listed alerts', alerts.items.length, AWAY.ours],
    ['listed devices', devices.items.length, OURS.devices],
    ['devices of a price', price.devices, OURS.devices],
    ['devices of a scrape', series.split('\nfleetgate_device_up{').length - 1, OURS.devices],
    ['alerts of a scrape', Number(/fleetgate_alerts\{rule="away"[^}]*\} (\d+)/.exec(series)?.[1]), AWAY.ours],
    ['open in a notification', told.open ?? Number.NaN, AWAY.ours],
  ];
  const wrong = counts.filter(([, is, wanted]) => is !== wanted);
  report.add({
    id: 'C9',
    what: 'the same: counts that include other devices',
    value: wrong.length,
    unit: 'counts',
    ...NONE,
    detail:
      `${counts.length} counts of routes, scrape and notification, ${OURS.devices} of ${DEVICES} devices and ${AWAY.ours} of ` +
      `${AWAY.ours + AWAY.others} alerts in sight` +
      wrong.map(([what, is, wanted]) => `; ${what}: ${is} in place of ${wanted}`).join(''),
  });
}
