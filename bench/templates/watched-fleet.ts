/*
 * D6, D10 and D1 on one installation: simulated routers in a process of their own, read by one watch of ten paths through a gateway
 * that is a process, too. Its clock is real. The routers' own ledger counts the bytes; the rows of the database say what a pass wrote.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN_BYTES } from '../../src/monitoring/policy-price.js';
import { percentile } from '../measuring.js';
import { type Installation, until } from '../monitoring/installation.js';
import { type RouterCounts } from '../monitoring/routers.js';
import { NONE, sized, withScene, type Bench, type Scene } from '../monitoring/scene.js';
import { significant } from '../report.js';

const SITES = ['a/north', 'b/north'] as const;
const HOSTNAMES = '/api/system/device/global';
const USERS = '/api/users/config';
const PATHS = [
  USERS,
  HOSTNAMES,
  '/api/users/groups/config',
  '/api/certificates/config',
  '/api/ntp/servers/config',
  '/api/interfaces/config',
  '/api/firewall/zones/config',
  '/api/firewall/traffic_rules/config',
  '/api/dhcp/servers/ipv4/config',
  '/api/access_control/global',
];
const WATCH = 'bench';

/** A router that fails so often is not read. */
const TIMES_MAX = 5;

/** Of `policy-price.ts`: a handshake, its headers and its end, which a program cannot see. */
const TCP_BYTES = 800;

/** Of P12: a GET of a person beside other work. */
const PERSON_MS = 60;

interface Price {
  readonly models: readonly { readonly devices: number; readonly bytesPerPass: number; readonly isMeasured: boolean }[];
}

interface Items<Item> {
  readonly items: readonly Item[];
  readonly next?: string | null;
}

export async function measureFleet(bench: Bench): Promise<void> {
  const devices = sized(bench, 5_000, 200);
  const installation = { settings: { STATUS_EVERY_SECONDS: '0' } };
  const plan = { devices, scale: 1, sites: SITES, rsaBits: 2_048, certificateFile: 'web.cert.pem', installation };
  await withScene(bench, plan, async (scene) => {
    await scene.site.api.post('/v1/watches', { name: WATCH, selector: 'all', paths: PATHS, everySeconds: 86_400 });
    for (const [ids, measure] of [
      ['D6', measurePasses],
      ['D10', measureViews],
      ['D1', measurePublishing],
    ] as const) {
      await measure(bench, scene).catch((error: unknown) =>
        bench.report.fail(ids, 'the row was not taken', error instanceof Error ? error.message : String(error)),
      );
    }
  });
}

async function measurePasses(bench: Bench, scene: Scene): Promise<void> {
  const { report } = bench;
  const { site, routers } = scene;
  const devices = routers.all.length;
  const first = await pass(scene);
  const price = await site.api.post<Price>('/v1/watches/price', {
    selector: 'all',
    paths: PATHS,
    everySeconds: 86_400,
  });
  const [bodies, changes, changed] = await written(site);
  const files = await filesRead(site);
  const second = await pass(scene);
  const [bodiesAfter, changesAfter, changedAfter] = await written(site);
  report.add({
    id: 'D6',
    what: `a pass of ${PATHS.length} paths over ${devices.toLocaleString('en-GB')} routers`,
    value: Math.max(first.seconds, second.seconds) / 60,
    unit: 'min',
    against: '',
    bound: { atMost: 10 },
    detail:
      `with logins and ${files} files of certificates ${significant(first.seconds)} s, the second ${significant(second.seconds)} s; ` +
      `the load of the gateway decides how many at once; read again after an error: ${first.again} and ${second.again}`,
  });
  const promised = price.models.reduce((sum, model) => sum + model.devices * model.bytesPerPass, 0) / devices;
  const whole = promised + (second.logins / devices) * LOGIN_BYTES;
  report.add({
    id: 'D6',
    what: 'bytes of a router and pass beside the price',
    value: Math.abs(second.bytes / devices / whole - 1) * 100,
    unit: '%',
    against: '',
    bound: { atMost: 15 },
    detail:
      `simulator's ledger: ${significant(second.bytes / devices)} bytes against ${significant(whole)}, with ${second.logins} logins and ` +
      `${significant(second.connections / devices)} connections a router, and ${TCP_BYTES} for TCP/IP in each; certificates with RSA 2048, as the price counts them; ` +
      `${price.models.filter(({ isMeasured }) => isMeasured).length} of ${price.models.length} models measured`,
  });
  const more = bodiesAfter - bodies + (changesAfter - changes) + (changedAfter === changed ? 0 : 1);
  report.add({
    id: 'D6',
    what: 'bodies and changes that a second pass without changes writes',
    value: more,
    unit: 'rows',
    ...NONE,
    detail: `rows: ${bodies} bodies for ${devices * PATHS.length} readings, ${changes} changes before it; the latest change is as old as before`,
  });
}

/** How long a pass over all routers took, and what they counted. */
async function pass({ site, routers }: Scene) {
  const planned = () => site.count('select count(*) from watched_device');
  await until('the watch has a plan', async () => (await planned()) === routers.all.length);
  const before = await settled(routers);
  const startedAt = performance.now();
  await site.api.post(`/v1/watches/${WATCH}/run`, { selector: 'all' });
  const again = await untilRead(site);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await settled(routers);
  const wire = (counts: RouterCounts) => counts.bytes + TCP_BYTES * counts.connections;
  return {
    seconds,
    again,
    bytes: wire(after) - wire(before),
    logins: after.logins - before.logins,
    connections: after.connections - before.connections,
  };
}

/** Logouts come after what was read is stored. */
async function settled(routers: Scene['routers']): Promise<RouterCounts> {
  for (let before = await routers.sum(); ;) {
    await sleep(1_000);
    const now = await routers.sum();
    if (now.connections === before.connections && now.bytes === before.bytes) return now;
    before = now;
  }
}

/**
 * Waits for a pass. What a loaded machine did not read is due again a quarter of an hour later; here at once.
 * @returns how many devices were read again
 * @throws Error where a router was not read after several times
 */
async function untilRead(site: Installation): Promise<number> {
  const left = () => site.count('select count(*) from watched_device where asked_at is not null');
  for (let again = 0, times = 0; ; times++) {
    await until('all routers are read', async () => (await left()) === 0, 1_800_000);
    const failed = await site.rows<{ code: string }>(
      `select coalesce(last_error, 'unread') as code from watched_device where read_at is null or last_error is not null`,
    );
    if (failed.length === 0) return again;
    if (times === TIMES_MAX) throw new Error(`${failed.length} routers were not read: ${failed[0]!.code}`);
    again += failed.length;
    await site.rows(
      `update watched_device set asked_at = now(), due_at = now() where read_at is null or last_error is not null`,
    );
  }
}

/** Each is a POST of the watch, with an audit entry. */
const filesRead = (site: Installation): Promise<number> =>
  site.count(`select count(*) from audit_entry where actor = 'system:watches'`);

const written = async (site: Installation): Promise<[number, number, number]> => [
  await site.count('select count(*) from observed_body'),
  await site.count('select count(*) from observed_change'),
  await site.count('select coalesce(extract(epoch from max(changed_at)), 0) as count from observed'),
];

async function measureViews(bench: Bench, { site, routers }: Scene): Promise<void> {
  const times: number[] = [];
  let [rows, pages] = [0, 0];
  const matrix = `/v1/observed/matrix?path=${USERS}&options=username,group`;
  for (let next: string | null = ''; next !== null && pages < 20; pages++) {
    const startedAt = performance.now();
    const page: Items<unknown> = await site.api.get(`${matrix}&limit=200${next === '' ? '' : `&cursor=${next}`}`);
    times.push(performance.now() - startedAt);
    rows += page.items.length;
    next = page.next ?? null;
  }
  bench.report.add({
    id: 'D10',
    what: `a page of the matrix of accounts, ${routers.all.length.toLocaleString('en-GB')} routers`,
    value: percentile(times, 0.99),
    unit: 'ms',
    against: '',
    bound: { atMost: 300 },
    detail: `p99 of ${pages} pages of 200 routers, ${rows} rows, from outside`,
  });
  await measureCertificates(bench, site, routers);
  await measureSight(bench, site, routers.all.length);
}

interface CertificateView {
  readonly deviceName: string;
  readonly file: string | null;
  readonly notAfter: string | null;
}

/** The list beside what the simulator has: the certificate that each router shows, and the file that only the watch has found. */
async function measureCertificates({ report }: Bench, site: Installation, routers: Scene['routers']): Promise<void> {
  const listed = new Map<string, string | null>();
  for (let next: string | null = ''; next !== null;) {
    const cursor = next === '' ? '' : `&cursor=${next}`;
    const page: Items<CertificateView> = await site.api.get(`/v1/certificates?limit=200${cursor}`);
    for (const { deviceName, file, notAfter } of page.items) listed.set(`${deviceName} ${file}`, notAfter);
    next = page.next ?? null;
  }
  const all = routers.all.flatMap(({ name, certificateEnds }) =>
    certificateEnds.map(([file, end]) => [`${name} ${file}`, end] as const),
  );
  const wrong = all.filter(([key, end]) => Date.parse(listed.get(key) ?? '') !== end);
  report.add({
    id: 'D10',
    what: 'certificates that the list does not have with their true end, or has too many',
    value: wrong.length + Math.max(0, listed.size - all.length),
    unit: 'certificates',
    ...NONE,
    detail:
      `${all.length} of the simulator, of which each router shows one and has one as a file that no job has read; ${listed.size} listed; ` +
      `${await filesRead(site)} files read by the watch in two passes, by the audit`,
  });
}

/** What an operator of one site sees of the other. */
async function measureSight({ report }: Bench, site: Installation, devices: number): Promise<void> {
  const { id } = await site.api.post<{ id: string }>('/v1/operators', { name: 'Ana', role: 'viewer' });
  await site.api.send('PUT', `/v1/operators/${id}/roles`, { roles: [{ role: 'operator', selector: 'site:a/*' }] });
  const key = await site.api.post<{ key: string }>('/v1/api-keys', { operatorId: id, name: 'bench' });
  const api = site.apiOf(key.key);
  const own = await site.count(`select count(*) from device where site like 'a/%'`);
  const groups = await api.get<{ devices: number }>(`/v1/observed?path=${HOSTNAMES}`);
  const counted = groups.devices;
  const foreign = await site.rows<{ digest: string; name: string }>(
    `select digest, name from observed join device on device.id = device_id where site like 'b/%' and path = $1
        and digest not in (select digest from observed join device on device.id = device_id where site like 'a/%' and digest is not null)`,
    [HOSTNAMES],
  );
  const texts = [
    JSON.stringify(groups),
    JSON.stringify(await api.get(`/v1/observed/matrix?path=${HOSTNAMES}&limit=200`)),
    JSON.stringify(await api.get('/v1/certificates')),
  ];
  const found = foreign.filter(({ digest, name }) =>
    texts.some((text) => text.includes(digest) || text.includes(name)),
  );
  report.add({
    id: 'D10',
    what: 'rows, digests and group sizes of other sites that an operator of one sees',
    value: found.length + Math.max(0, counted - own),
    unit: 'findings',
    ...NONE,
    detail:
      `groups, matrix and certificates searched for ${foreign.length} digests and names of other routers; the groups count ${counted} of ${devices} ` +
      `routers, ${own} are in sight`,
  });
}

async function measurePublishing(bench: Bench, { site, routers }: Scene): Promise<void> {
  const devices = routers.all.length;
  const items = [{ path: '/api/ntp/servers/config', key: { hostname: 'ntp.example' } }];
  await site.api.post('/v1/templates', { name: 'bench', selector: 'all', items });
  const idle = await personMs(site, new AbortController().signal, 100);
  const startedAt = performance.now();
  await site.api.post('/v1/templates/bench/publish', { reason: 'measured' });
  const publishMs = performance.now() - startedAt;
  const over = new AbortController();
  const beside = personMs(site, over.signal, Number.POSITIVE_INFINITY);
  const compared = () => site.count(`select count(*) from template_state where state = 'pending'`);
  await until('all states are computed', async () => (await compared()) === devices);
  const seconds = (performance.now() - startedAt) / 1_000;
  over.abort();
  const busy = await beside;
  const say = (what: string, value: number, unit: string, atMost: number, detail: string) =>
    bench.report.add({ id: 'D1', what, value, unit, against: '', bound: { atMost }, detail });
  const fleet = `${devices.toLocaleString('en-GB')} routers`;
  say(`publishing for ${fleet}`, publishMs, 'ms', 500, 'one request, from outside');
  say(
    `until the states of ${fleet} are stored`,
    seconds,
    's',
    60,
    'since publishing; rows; with the pause of the sweeper',
  );
  const p99 = (times: readonly number[]) => percentile(times, 0.99);
  const words = `${busy.length} requests for a page of devices, one after the other; idle p99 ${significant(p99(idle))} ms`;
  say('GET of a person meanwhile, p99', p99(busy), 'ms', PERSON_MS, words);
}

/** How long a person's requests take, one after the other, until they are enough. */
async function personMs(site: Installation, over: AbortSignal, count: number): Promise<number[]> {
  const times: number[] = [];
  while (!over.aborted && times.length < count) {
    const startedAt = performance.now();
    await site.api.get('/v1/devices?limit=20');
    times.push(performance.now() - startedAt);
    await sleep(5);
  }
  return times;
}
