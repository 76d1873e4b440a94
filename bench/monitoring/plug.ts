/*
 * C11: how long after the plug was pulled does a chat say so? As the how-to has it: a rule with two minutes, a status
 * check each minute, a receiver with a chat format. Several routers are pulled one after the other, each with a rule of
 * its own, so each has its own message. Mail is measured by its own test, against a local SMTP server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../measuring.js';
import { significant } from '../report.js';
import { until, type Installation } from './installation.js';
import { addReceiver, sized, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const STATUS_S = 60;
const FOR_S = 120;
const CHAT = 'chat';

/** Two status checks and the time of the rule. */
const BOUND_S = 2 * STATUS_S + FOR_S;

/** Passes pause nearly as on a real clock: at twice this, each of four on the way would be ten seconds late. */
const SCALE = 10;

/** A newcomer's fleet. */
const ROUTERS = 50;

export async function measurePlug(bench: Bench): Promise<void> {
  const plan = {
    devices: ROUTERS,
    scale: SCALE,
    installation: { settings: { STATUS_EVERY_SECONDS: String(STATUS_S) } },
  };
  await withScene(bench, plan, async (scene) => {
    const { site, routers, receivers } = scene;
    await addReceiver(site, receivers, CHAT, { format: 'slack' });
    const pulled = routers.all.slice(0, sized(bench, 15, 10));
    for (const { name } of pulled) {
      const selector = `state:offline & name:"${name}"`;
      await site.api.post('/v1/monitoring/rules', { name: ruleOf(name), selector, forSeconds: FOR_S });
    }
    await untilOnline(scene);
    const messages = await pullEach(scene, pulled.length);
    const seconds = messages.map(({ pulledAt, at }) => (at - pulledAt) / 1_000);
    bench.report.add({
      id: 'C11',
      what: 'from the plug to the message in a chat (slack), the latest',
      value: Math.max(...seconds),
      unit: 's',
      against: '',
      bound: { atMost: BOUND_S },
      detail:
        `receiver's log, ${seconds.length} routers of ${ROUTERS}, on a clock ${site.scale} times faster; median ` +
        `${significant(median(seconds))} s; ${await stagesOf(site, messages)}; the bound is two checks of ${STATUS_S} s ` +
        `and ${FOR_S} s of the rule; mail: its own test`,
    });
  });
}

/** What became of one router, on the clock of the gateway. */
interface Message {
  readonly router: string;
  readonly pulledAt: number;
  readonly at: number;
}

const ruleOf = (router: string): string => `${router} is off`;

async function pullEach({ site, routers, receivers }: Scene, count: number): Promise<Message[]> {
  const pulledAt: number[] = [];
  for (let place = 0; place < count; place++) {
    await routers.switchOff(place, place + 1);
    pulledAt.push(site.now.getTime());
    await sleep(site.ms(STATUS_S / 5));
  }
  const messageOf = (router: string) => receivers.log.find(({ text }) => text.includes(ruleOf(router)));
  const pulled = routers.all.slice(0, count).map(({ name }) => name);
  await until('each router has a message', async () => pulled.every(messageOf), 120_000);
  return pulled.map((router, place) => ({
    router,
    pulledAt: pulledAt[place]!,
    at: site.at(messageOf(router)!.at).getTime(),
  }));
}

/** Where the time went, by the rows of the gateway. */
async function stagesOf(site: Installation, messages: readonly Message[]): Promise<string> {
  const rows = await site.rows<{ name: string; failed: Date; away: Date; opened: Date }>(
    `select device.name, device.failing_since as failed, opened_at as opened,
            (select max(at) from device_change where device_id = device.id and after = 'offline') as away
       from alert join device on device.id = alert.device_id join alert_rule rule on rule.id = rule_id
      where rule.name = device.name || $1`,
    [ruleOf('')],
  );
  const byRouter = new Map(rows.map((row) => [row.name, row]));
  const of = (what: string, secondsOf: (message: Message, row: (typeof rows)[number]) => number) => {
    const all = messages.map((message) => secondsOf(message, byRouter.get(message.router)!) / 1_000);
    return `${what} ${Math.round(median(all))} to ${Math.round(Math.max(...all))} s`;
  };
  const stages = [
    of('to the first failed check', ({ pulledAt }, { failed }) => failed.getTime() - pulledAt),
    of('from it to the second', (_message, { failed, away }) => away.getTime() - failed.getTime()),
    of('to the alert', (_message, { failed, opened }) => opened.getTime() - failed.getTime()),
    of('from the alert to the message', ({ at }, { opened }) => at - opened.getTime()),
  ];
  return `medians and latest: ${stages.join(', ')}`;
}
