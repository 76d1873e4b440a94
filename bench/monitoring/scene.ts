/* What each row gets, and the fleet that most rows begin with: routers, registered, known and watched by receivers. */
import { type Report } from '../report.js';
import { Installation, until, type InstallationOptions } from './installation.js';
import { Receivers } from './receivers.js';
import { Routers, type RoutersPlan } from './routers.js';
import { type Server } from './server.js';

export interface Bench {
  readonly report: Report;
  readonly short: boolean;
  readonly server: Server;
}

/** Sizes of the long and the short form. */
export const sized = <Size>({ short }: Bench, long: Size, small: Size): Size => (short ? small : long);

/** What a correctness row counts: none is allowed. */
export const NONE = { against: '', bound: { atMost: 0 } } as const;

export interface Scene {
  readonly routers: Routers;
  readonly receivers: Receivers;
  readonly site: Installation;
}

export interface SceneOptions extends RoutersPlan {
  readonly installation?: Partial<InstallationOptions>;
  /** Names of receivers of notifications that may see everything. */
  readonly receivers?: readonly string[];
}

/** Starts it, lets the work run until its end, and removes it. */
export async function withScene<Result>(
  { server }: Bench,
  { installation, receivers: names = [], ...plan }: SceneOptions,
  work: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const [routers, receivers] = await Promise.all([Routers.start(plan), Receivers.start()]);
  let site: Installation | null = null;
  try {
    site = await Installation.start(server, { scale: plan.scale, ...installation });
    await site.importCsv(routers.csv);
    for (const name of names) await addReceiver(site, receivers, name);
    return await work({ routers, receivers, site });
  } finally {
    await site?.stop();
    receivers.stop();
    await routers.stop();
  }
}

export async function addReceiver(
  site: Installation,
  receivers: Receivers,
  name: string,
  { format = 'cloudevents', key = site.key } = {},
): Promise<void> {
  const types = ['rule.notified'];
  await site.apiOf(key).post('/v1/webhooks', { name, url: receivers.urlOf(name), format, types });
}

/** Every router was seen by a status check. */
export async function untilOnline({ site, routers }: Scene): Promise<void> {
  const online = () => site.count(`select count(*) from device where state = 'online'`);
  await until('all routers are online', async () => (await online()) === routers.all.length);
}

export const openAlerts = (site: Installation, rule: string): Promise<number> =>
  site.count(
    `select count(*) from alert join alert_rule rule on rule.id = alert.rule_id where state = 'open' and rule.name = $1`,
    [rule],
  );
