/*
 * C11: how long after the plug was pulled does a chat say so? As the how-to has it: a rule with two minutes, a status
 * check each minute, a receiver with a chat format. Several routers are pulled one after the other, each with a rule of
 * its own, so each has its own message. Mail is measured by its own test, against a local SMTP server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../measuring.js';
import { significant } from '../report.js';
import { until } from './installation.js';
import { addReceiver, sized, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const STATUS_S = 60;
const FOR_S = 120;
const CHAT = 'chat';

/** Two status checks and the time of the rule. */
const BOUND_S = 2 * STATUS_S + FOR_S;

/** A newcomer's fleet. */
const ROUTERS = 50;

export async function measurePlug(bench: Bench): Promise<void> {
  const plan = {
    devices: ROUTERS,
    scale: 20,
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
    const seconds = await pullEach(scene, pulled.length);
    bench.report.add({
      id: 'C11',
      what: 'from the plug to the message in a chat (slack), the latest',
      value: Math.max(...seconds),
      unit: 's',
      against: '',
      bound: { atMost: BOUND_S },
      detail:
        `receiver's log, ${seconds.length} routers of ${ROUTERS}, on a clock ${site.scale} times faster; median ` +
        `${significant(median(seconds))} s; the bound is two checks of ${STATUS_S} s and ${FOR_S} s of the rule; mail: its own test`,
    });
  });
}

const ruleOf = (router: string): string => `${router} is off`;

/** @returns seconds on the clock of the gateway */
async function pullEach({ site, routers, receivers }: Scene, count: number): Promise<number[]> {
  const pulledAt: number[] = [];
  for (let place = 0; place < count; place++) {
    await routers.switchOff(place, place + 1);
    pulledAt.push(Date.now());
    await sleep(site.ms(STATUS_S / 5));
  }
  const messageOf = (place: number) =>
    receivers.log.find(({ text }) => text.includes(ruleOf(routers.all[place]!.name)));
  const places = pulledAt.map((_at, place) => place);
  await until('each router has a message', async () => places.every((place) => messageOf(place)), 120_000);
  return places.map((place) => ((messageOf(place)!.at - pulledAt[place]!) / 1_000) * site.scale);
}
