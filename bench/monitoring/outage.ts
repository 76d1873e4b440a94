/*
 * C3: half of the routers lose power at once. With the line of the gateway intact, a receiver is told at most three
 * times, and once when they are back. With its line cut at the same time, all routers seem to be away for two passes of
 * the status check: a receiver is told of the connection, and of no router that was only behind it. Receivers are HTTP
 * servers with a log.
 *
 * A pass of status checks takes 50 routers, so 5,000 take 100 s, and the 200 of the short form four passes that pause
 * 10 s on its clock, and 20 s for rules: the minute without a change that ends a notification needs several passes in
 * it. Routers of a fleet that runs for hours are spread over the whole interval of 300 s. So the clock of the long form
 * is only five times as fast: at ten, a round of checks on two cores lasts longer than that interval.
 */
import { type Arrival, type Receivers } from './receivers.js';
import { until } from './installation.js';
import { NONE, openAlerts, sized, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const RULE = 'Offline for 15 minutes';
const RECEIVERS = ['first', 'second'];

/** The default interval of status checks, and that of notifications of one rule. */
const STATUS_S = 300;
const EVERY_S = 300;

/** A notification gathers for 30 s, and a pass is late by the pauses of the clock. */
const SETTLED_S = EVERY_S + 180;

export async function measureOutage(bench: Bench): Promise<void> {
  const devices = sized(bench, 5_000, 200);
  const plan = {
    devices,
    scale: sized(bench, 5, 40),
    sites: ['kaunas', 'vilnius'],
    receivers: RECEIVERS,
    installation: { settings: { STATUS_EVERY_SECONDS: String(STATUS_S) } },
  };
  const intact = () => withScene(bench, plan, (scene) => lose(bench, scene, 'line intact', async () => undefined));
  const cut = () => withScene(bench, plan, (scene) => lose(bench, scene, 'line cut', () => cutLine(scene)));
  // Counts only: two small fleets may share the cores.
  if (bench.short) await Promise.all([intact(), cut()]);
  else {
    await intact();
    await cut();
  }
}

/** All routers are away for two passes; those of the other half answer again after it. */
async function cutLine({ site, routers }: Scene): Promise<void> {
  const half = routers.all.length / 2;
  await routers.switchOff(half, routers.all.length);
  const warned = () => site.count(`select count(*) from system_warning where code = 'many_devices_away'`);
  await until('the gateway doubts its line', async () => (await warned()) === 1);
  await site.pass(2 * STATUS_S);
  await routers.switchOn(half, routers.all.length);
}

async function lose(bench: Bench, scene: Scene, line: string, cut: () => Promise<void>): Promise<void> {
  const { site, routers, receivers } = scene;
  const half = routers.all.length / 2;
  await untilOnline(scene);
  await routers.switchOff(0, half);
  await cut();
  await until('all alerts are open', async () => (await openAlerts(site, RULE)) >= half);
  await untilTold(receivers, half);
  await site.pass(SETTLED_S);
  const open = await namesOfOpen(scene);
  const away = arrivalsOf(receivers);
  const wrong = differences(open, new Set(routers.all.slice(0, half).map(({ name }) => name)));
  await routers.switchOn(0, half);
  await until('all alerts are closed', async () => (await openAlerts(site, RULE)) === 0);
  await untilTold(receivers, 0);
  await site.pass(SETTLED_S);
  const back = arrivalsOf(receivers).map((all, place) => all.slice(away[place]!.length));
  tell(bench, line, half, { away, wrong, back, left: (await namesOfOpen(scene)).size });
}

async function namesOfOpen({ site }: Scene): Promise<ReadonlySet<string>> {
  const rows = await site.rows<{ name: string }>(
    `select device.name from alert join device on device.id = alert.device_id where alert.state = 'open'`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** How many are only in one of the two. */
const differences = (found: ReadonlySet<string>, wanted: ReadonlySet<string>): number =>
  [...found].filter((name) => !wanted.has(name)).length + [...wanted].filter((name) => !found.has(name)).length;

/** Each receiver knows how many are open. */
async function untilTold(receivers: Receivers, open: number): Promise<void> {
  const last = (receiver: string) => receivers.arrived(receiver, RULE).at(-1);
  await until(`receivers know of ${open}`, async () => RECEIVERS.every((name) => last(name)?.data.open === open));
}

/** What each receiver was told so far, about anything. */
const arrivalsOf = (receivers: Receivers): Arrival[][] => RECEIVERS.map((name) => receivers.arrived(name));

function tell(
  { report }: Bench,
  line: string,
  half: number,
  { away, wrong, back, left }: { away: Arrival[][]; wrong: number; back: Arrival[][]; left: number },
): void {
  const add = (what: string, receivers: Arrival[][], atMost: number) => {
    const most = receivers.toSorted((a, b) => b.length - a.length)[0]!;
    const words = most.map(({ data }) => `${data.rule}: ${data.opened} new, ${data.closed} back, now ${data.open}`);
    report.add({
      id: 'C3',
      what: `${half} of ${2 * half} off, ${line}: ${what}`,
      value: most.length,
      unit: 'notifications',
      against: '',
      bound: { atMost },
      detail: `receivers' log, the one of ${RECEIVERS.length} that was told most: ${words.join(' | ')}`,
    });
  };
  add('notifications a receiver', away, 3);
  add('when they are back', back, 1);
  const detail = 'rows beside the routers that were switched off';
  report.add({ id: 'C3', what: `${line}: alerts missing or too many`, value: wrong, unit: 'alerts', ...NONE, detail });
  report.add({ id: 'C3', what: `${line}: still open at the end`, value: left, unit: 'alerts', ...NONE, detail });
}
