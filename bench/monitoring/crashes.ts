/*
 * C4: does a death lose or double an alert? Routers go and come back at random while processes are killed at any moment
 * (between the making of a notification and its sending, too), Postgres crashes, and for ten minutes the gateways
 * cannot reach it. Answers of receivers get lost. In the end the rows must say what the plugs say, the events of each
 * router must take turns, and each notification must have arrived. It may come again only where its answer was lost, or
 * where a process or the database died while it was under way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/simulator/device/random.js';
import { CutProxy } from '../../test/support/console/cut-proxy.js';
import { until } from './installation.js';
import { Server } from './server.js';
import { NONE, openAlerts, sized, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const RULE = { name: 'away', selector: 'state:offline', forSeconds: 60, clearAfterSeconds: 60 };
const RECEIVERS = ['first', 'second'];

/** Checks each minute; two failed ones are away. */
const STATUS_S = 60;

/** Fewer than make the gateway doubt its own line. */
const AWAY_AT_ONCE = 8;

/** The time without Postgres. */
const WITHOUT_DATABASE_S = 600;

const PAUSE_MS: readonly [number, number] = [300, 1_500];

/** A delivery belongs to its process for so long (`webhook-deliveries.sweeper.ts`): a death in it makes it come again. */
const UNDER_WAY_S = 60;

/** Lost at the receiver, at each turn with this chance. */
const LOST_CHANCE = 0.3;

/** On a Postgres of its own: no other row sees the crash. */
export async function measureCrashes({ report, short }: Bench): Promise<void> {
  const seed = Date.now() % 1_000_000;
  const server = await Server.start();
  const bench = { report, short, server };
  const proxy = new CutProxy(() => new URL(bench.server.postgres.url));
  const databaseAt = new URL(await proxy.start()).host;
  const plan = {
    devices: 40,
    scale: 60,
    receivers: RECEIVERS,
    installation: { workers: 1, databaseAt, settings: { STATUS_EVERY_SECONDS: String(STATUS_S) } },
  };
  try {
    await withScene(bench, plan, async (scene) => {
      await scene.site.api.post('/v1/monitoring/rules', RULE);
      await untilOnline(scene);
      const done = await harass(bench, scene, proxy, new Random(`crashes-${seed}`));
      await settle(scene, done.off);
      await judge(bench, scene, { ...done, seed });
    });
  } finally {
    proxy.close();
    await server.stop();
  }
}

interface Done {
  /** Routers without power now, by place. */
  readonly off: ReadonlySet<number>;
  readonly deaths: readonly Death[];
}

/** From when to when, in real milliseconds, a process or the database died or was away. */
interface Death {
  readonly of: 'process' | 'database';
  readonly from: number;
  readonly to: number;
}

async function harass(bench: Bench, scene: Scene, proxy: CutProxy, random: Random): Promise<Done> {
  const { site, receivers } = scene;
  const off = new Set<number>();
  const turns = sized(bench, 60, 8);
  const deaths: Death[] = [];
  const die = async (of: Death['of'], work: () => Promise<void>) => {
    const from = Date.now();
    await work();
    deaths.push({ of, from, to: Date.now() });
  };
  for (let turn = 0; turn < turns; turn++) {
    await flip(scene, off, random);
    if (random.integer(0, 99) < LOST_CHANCE * 100) receivers.losesAnswers = random.integer(1, 2);
    await sleep(random.integer(...PAUSE_MS));
    if (turn === Math.floor(turns / 3)) await die('database', () => bench.server.postgres.crash());
    if (turn === Math.floor(turns / 2)) {
      await die('database', async () => {
        proxy.cut();
        await site.pass(WITHOUT_DATABASE_S);
        proxy.mend();
      });
    }
    const victim = site.gateways[random.integer(0, site.gateways.length - 1)]!;
    await die('process', () => victim.kill());
    await victim.start();
  }
  return { off, deaths };
}

/** Pulls the plug of some routers, and gives it back to some. */
async function flip({ routers }: Scene, off: Set<number>, random: Random): Promise<void> {
  for (let turn = random.integer(1, 4); turn > 0; turn--) {
    const place = random.integer(0, routers.all.length - 1);
    if (off.delete(place)) await routers.switchOn(place, place + 1);
    else if (off.size < AWAY_AT_ONCE) {
      off.add(place);
      await routers.switchOff(place, place + 1);
    }
  }
}

/** Nothing is under way any more: rows are as the plugs are, and all notifications were sent. */
async function settle({ site, receivers }: Scene, off: ReadonlySet<number>): Promise<void> {
  receivers.losesAnswers = 0;
  const last = () => RECEIVERS.map((name) => receivers.arrived(name, RULE.name).at(-1)?.data.open ?? 0);
  await until(
    'alerts are as the plugs are',
    async () => (await openAlerts(site, RULE.name)) === off.size,
    90_000,
  ).catch(
    () => undefined, // the verdict says it
  );
  await until('receivers know it', async () => last().every((open) => open === off.size), 60_000).catch(
    () => undefined,
  );
  const waiting = () => site.count('select count(*) from webhook_delivery where ended_at is null');
  await until('no delivery waits', async () => (await waiting()) === 0, 60_000).catch(() => undefined);
}

interface EventRow {
  readonly device: string;
  readonly type: string;
}

async function judge(bench: Bench, scene: Scene, done: Done & { seed: number }): Promise<void> {
  const kills = done.deaths.filter(({ of }) => of === 'process').length;
  const lost = scene.receivers.log.filter(({ isAnswered }) => !isAnswered).length;
  const ways =
    `${kills} kills of two processes, one crash of Postgres, ${WITHOUT_DATABASE_S / 60} minutes without it, ` +
    `${lost} lost answers, seed ${done.seed}`;
  const add = (what: string, value: number, unit: string, detail: string) =>
    bench.report.add({ id: 'C4', what: `deaths at any moment: ${what}`, value, unit, ...NONE, detail });
  await judgeAlerts(scene, done.off, ways, add);
  await judgeNotifications(scene, done.deaths, add);
}

type Add = (what: string, value: number, unit: string, detail: string) => void;

async function judgeAlerts({ site, routers }: Scene, off: ReadonlySet<number>, ways: string, add: Add): Promise<void> {
  const open = await site.rows<{ name: string }>(
    `select device.name from alert join device on device.id = alert.device_id
       join alert_rule rule on rule.id = alert.rule_id where alert.state = 'open' and rule.name = $1`,
    [RULE.name],
  );
  const wanted = new Set([...off].map((place) => routers.all[place]!.name));
  const found = new Set(open.map(({ name }) => name));
  const wrong = routers.all.filter(({ name }) => wanted.has(name) !== found.has(name)).length;
  const events = await site.rows<EventRow>(
    `select device_id as device, type from event
      where type in ('alert.opened', 'alert.closed') and data ->> 'rule' = $1 order by id`,
    [RULE.name],
  );
  add('alerts forgotten or too many', wrong, 'alerts', `rows beside the plugs, ${wanted.size} open; ${ways}`);
  const words = `events of each router, ${events.length} of them`;
  add('alerts that opened or closed twice', outOfTurn(events), 'events', words);
}

async function judgeNotifications({ site, receivers }: Scene, deaths: readonly Death[], add: Add): Promise<void> {
  const made = await site.rows<{ id: string; webhook: string }>(
    'select delivery.id, webhook.name as webhook from webhook_delivery delivery join webhook on webhook.id = webhook_id',
  );
  const arrivals = made.map(({ id, webhook }) =>
    receivers.log.filter((one) => one.id === id && one.receiver === webhook),
  );
  const never = arrivals.filter(({ length }) => length === 0).length;
  add('notifications that never arrived', never, 'notifications', `receivers' log beside rows, ${made.length} made`);
  const again = arrivals.flatMap((all) => all.slice(0, -1));
  const lost = again.filter(({ isAnswered }) => !isAnswered).length;
  const unexplained = again.filter((one) => one.isAnswered && !hasDeath(deaths, one.at, site.ms(UNDER_WAY_S))).length;
  const words =
    `receivers' log: ${receivers.log.length} arrivals of ${made.length}; ${again.length} came again with the same id, ` +
    `${lost} after a lost answer, ${again.length - lost - unexplained} after a death`;
  add('arrivals that came again with no lost answer and no death under way', unexplained, 'arrivals', words);
}

/** Whether a death was in the time after an arrival. */
const hasDeath = (deaths: readonly Death[], at: number, lastsMs: number): boolean =>
  deaths.some(({ from, to }) => from <= at + lastsMs && to >= at);

/** Events that say again what the one before them of the same router said; the first one opens. */
function outOfTurn(events: readonly EventRow[]): number {
  const last = new Map<string, string>();
  let wrong = 0;
  for (const { device, type } of events) {
    if (type === (last.get(device) ?? 'alert.closed')) wrong++;
    last.set(device, type);
  }
  return wrong;
}
