/* Live values: functions of seed, scenario and clock. Most rows need no device; the last ones read a device at several times. */
import { afterEach, describe, expect, it } from 'vitest';
import { BOOT_S, lastBoot, scheduledBoot } from '../../src/simulator/device/live/boots.js';
import { mobileLinkAt, MOBILE_STAGES } from '../../src/simulator/device/live/mobile-link.js';
import { outageIn, slotOf, SLOT_S, type Span } from '../../src/simulator/device/live/outages.js';
import { loadAt, signalAt, temperatureAt } from '../../src/simulator/device/live/radio.js';
import {
  SCENARIOS,
  SCENARIO_NAMES,
  type LiveMoment,
  type ScenarioName,
} from '../../src/simulator/device/live/scenarios.js';
import { bytesBetween } from '../../src/simulator/device/live/traffic.js';
import { positionAt } from '../../src/simulator/device/live/vehicle.js';
import { Caller, Fleets } from './caller.js';

const DAY_S = 86_400;
/** A Monday at midnight (UTC). */
const START = Date.UTC(2026, 10, 23) / 1000;

const moment = (scenario: ScenarioName, at = START, seed = 7): LiveMoment => ({
  seed,
  scenario: SCENARIOS[scenario],
  at,
});
const hours = Array.from({ length: 48 }, (_, index) => START + index * 1_800 + 17);

/** The first break of a link after the start. */
function firstOutage(given: LiveMoment, kind: 'mobile' | 'wired'): Span {
  for (let slot = slotOf(given.at); ; slot++) {
    const outage = outageIn(given, kind, slot);
    if (outage) return outage;
  }
}

describe('values', () => {
  it.each(SCENARIO_NAMES)('of the scenario %s are within the ranges of the recordings, and change', (scenario) => {
    const seen = hours.map((at) => ({
      ...signalAt(moment(scenario, at)),
      temperature: temperatureAt(moment(scenario, at)),
    }));
    const ranges = {
      rssi: [-84, -48],
      rsrp: [-107, -72],
      rsrq: [-16, -7],
      sinr: [-2, 21],
      temperature: [32, 61],
    } as const;
    for (const [name, [least, most]] of Object.entries(ranges)) {
      const values = seen.map((values) => values[name as keyof typeof ranges]);
      expect(values.every((value) => Number.isInteger(value) && value >= least && value <= most)).toBe(true);
      expect(new Set(values).size).toBeGreaterThan(2);
    }
  });

  it('repeat with the seed and the clock', () => {
    const read = (seed: number) =>
      hours.map((at) => [signalAt(moment('storm', at, seed)), loadAt(moment('storm', at, seed))]);
    expect(read(7)).toEqual(read(7));
    expect(read(7)).not.toEqual(read(8));
  });

  it('storm has a weaker signal, and more load and warmth, than calm', () => {
    const mean = (of: (at: number) => number) => hours.reduce((sum, at) => sum + of(at), 0) / hours.length;
    const rsrp = (name: ScenarioName) => mean((at) => signalAt(moment(name, at)).rsrp);
    const warmth = (name: ScenarioName) => mean((at) => temperatureAt(moment(name, at)));
    expect(rsrp('storm')).toBeLessThan(rsrp('calm') - 5);
    expect(warmth('storm')).toBeGreaterThan(warmth('calm') + 5);
  });
});

describe('traffic', () => {
  const uplinks = { hasSocket: true, hasTwoSims: true };

  it.each(SCENARIO_NAMES)('of the scenario %s adds up, whatever the parts', (scenario) => {
    const given = moment(scenario);
    const [from, to] = [START - 5 * DAY_S + 123, START + 321];
    const whole = bytesBetween(given, 'mobile', uplinks, from, to);
    let [rx, tx] = [0, 0];
    for (let at = from; at < to; at += 4_999) {
      const part = bytesBetween(given, 'mobile', uplinks, at, Math.min(to, at + 4_999));
      expect(Math.min(part.rx, part.tx)).toBeGreaterThanOrEqual(0);
      rx += part.rx;
      tx += part.tx;
    }
    expect({ rx, tx }).toEqual(whole);
    expect(tx).toBeGreaterThan(0);
  });

  it('rests while the link is broken', () => {
    const given = moment('storm');
    const { from, to } = firstOutage(given, 'mobile');
    const alone = { hasSocket: false, hasTwoSims: false };
    expect(bytesBetween(given, 'mobile', alone, from, to)).toEqual({ rx: 0, tx: 0 });
    expect(bytesBetween(given, 'mobile', alone, to, to + 600).rx).toBeGreaterThan(0);
    // With a second SIM it goes on after the change.
    expect(bytesBetween(given, 'mobile', { ...alone, hasTwoSims: true }, from, to).rx).toBeGreaterThan(0);
  });

  it('goes over the mobile link while the cable is broken', () => {
    // A device with a cable.
    const seed = Array.from({ length: 50 }, (_, index) => index).find(
      (index) => bytesBetween(moment('storm', START, index), 'wired', uplinks, START, START + DAY_S).rx > 0,
    )!;
    const given = { ...moment('storm', START, seed), scenario: { ...SCENARIOS.storm, mobileOutage: 0 } };
    const { from, to } = firstOutage(given, 'wired');
    expect(bytesBetween(given, 'wired', uplinks, from, to).rx).toBe(0);
    const perSecond = (begin: number, end: number) =>
      bytesBetween(given, 'mobile', uplinks, begin, end).rx / (end - begin);
    expect(perSecond(from, to)).toBeGreaterThan(5 * perSecond(from - 600, from));
  });
});

describe('the mobile link', () => {
  const given = moment('storm');
  const { from, to } = firstOutage(given, 'mobile');
  const linkAt = (at: number, hasTwo: boolean) => mobileLinkAt({ ...given, at }, 1, hasTwo, null);

  it('one SIM: it searches until the break is over', () => {
    expect([from - 1, from, to - 1, to].map((at) => [linkAt(at, false).isUp, linkAt(at, false).stage])).toEqual([
      [true, MOBILE_STAGES.connected],
      [false, MOBILE_STAGES.searching],
      [false, MOBILE_STAGES.searching],
      [true, MOBILE_STAGES.connected],
    ]);
  });

  it('two SIMs: it changes to the other, and back', () => {
    expect([from, from + 60, from + 90, to].map((at) => [linkAt(at, true).sim, linkAt(at, true).stage])).toEqual([
      [1, MOBILE_STAGES.searching],
      [1, MOBILE_STAGES.switching],
      [2, MOBILE_STAGES.connected],
      [1, MOBILE_STAGES.connected],
    ]);
  });
});

describe('a vehicle', () => {
  /** Metres between two places. */
  function distance(one: { latitude: number; longitude: number }, other: typeof one): number {
    const east = (other.longitude - one.longitude) * Math.cos((one.latitude * Math.PI) / 180);
    return Math.hypot(other.latitude - one.latitude, east) * 111_195;
  }
  const at = (seconds: number) =>
    positionAt({ ...moment('storm', START + seconds), scenario: { ...SCENARIOS.storm, withoutFix: 0 } })!;

  it('drives as fast and where its speed and angle say', () => {
    for (let second = 8 * 3600; second < 9 * 3600; second += 97) {
      const [now, next] = [at(second), at(second + 1)];
      expect(distance(now, next)).toBeCloseTo(now.speed / 3.6, 0);
      const north = (next.latitude - now.latitude) * 111_195;
      const expected = Math.cos((now.angle * Math.PI) / 180) * (now.speed / 3.6);
      expect(north).toBeCloseTo(expected, 0);
    }
  });

  it('is parked at night', () => {
    expect([at(3_600).speed, distance(at(3_600), at(7_200))]).toEqual([0, 0]);
  });

  it('is parked in the scenario calm', () => {
    const parked = [0, 43_200].map((seconds) => positionAt(moment('calm', START + seconds))!);
    expect([parked[0]!.speed, distance(parked[0]!, parked[1]!)]).toEqual([0, 0]);
  });

  it('loses its satellites now and then in a storm', () => {
    const minutes = Array.from({ length: 200 }, (_, index) => positionAt(moment('storm', START + index * 60)));
    const lost = minutes.filter((position) => position === null).length;
    expect(lost).toBeGreaterThan(20);
    expect(lost).toBeLessThan(120);
  });
});

describe('planned restarts', () => {
  it('come each night at the same time', () => {
    const given = { seed: 7, scenario: { ...SCENARIOS.storm, strayBoot: 0 } };
    const boots = [1, 2, 3].map((day) => lastBoot({ ...given, at: START + day * DAY_S })!);
    expect(boots.map((boot) => boot % DAY_S)).toEqual(boots.map(() => boots[0]! % DAY_S));
    expect([boots[1]! - boots[0]!, boots[2]! - boots[1]!]).toEqual([DAY_S, DAY_S]);
    expect(boots[0]! % DAY_S).toBeGreaterThanOrEqual(2 * 3600);
    expect(boots[0]! % DAY_S).toBeLessThanOrEqual(4 * 3600);
  });

  const weekly = { enable: '1', action: '1', period: 'week', days: ['mon', 'thu'], time: ['03:00:00', '15:30:00'] };
  const HOUR_S = 3600;
  it.each([
    ['on a day of the week', weekly, START + 4 * HOUR_S, START + 3 * HOUR_S],
    ['at the later of two times', weekly, START + 20 * HOUR_S, START + 15.5 * HOUR_S],
    ['not before the day', weekly, START + 2 * HOUR_S, START - 4 * DAY_S + 15.5 * HOUR_S],
    ['on a day of the month', { ...weekly, period: 'month', month_day: ['23'] }, START + DAY_S, START + 15.5 * HOUR_S],
    [
      'on the last day instead of one that the month lacks',
      { ...weekly, period: 'month', month_day: ['31'], force_last: '1' },
      START + 8 * DAY_S,
      START + 7 * DAY_S + 15.5 * HOUR_S,
    ],
    ['not in a month that is not named', { ...weekly, months: ['1', '12'] }, START + DAY_S, null],
    ['not while it is off', { ...weekly, enable: '0' }, START + DAY_S, null],
    ['not for the modem alone', { ...weekly, action: '2' }, START + DAY_S, null],
    ['not at what is no time', { ...weekly, time: ['noon'] }, START + DAY_S, null],
  ])('are those of the settings: %s', (_title, schedule, at, expected) => {
    expect(scheduledBoot([schedule], START - 10 * DAY_S, at)).toBe(expected);
  });

  it('never come in the scenario calm', () => {
    expect(lastBoot(moment('calm'))).toBeNull();
  });
});

describe('a device', () => {
  const fleets = new Fleets();
  afterEach(() => fleets.close());

  /** A device whose clock stands at a time of day of the next day. */
  async function deviceAt(scenario: ScenarioName, secondOfDay: number): Promise<Caller> {
    const fleet = await fleets.start({ profile: 'rutos', scenario, timeScale: 1 });
    const now = fleet.clock.now();
    fleet.clock.advance((Math.floor(now / 1000 / DAY_S) + 1) * DAY_S * 1000 + secondOfDay * 1000 - now);
    return new Caller(fleet.devices[0]!).login();
  }
  const modemOf = async (caller: Caller) => (await caller.get('/api/modems/status')).body.data[0];

  it('a planned restart ends sessions and restarts uptime and counters', async () => {
    const caller = await deviceAt('calm', 12 * 3600);
    const before = await modemOf(caller);
    const stormy = await deviceAt('storm', 12 * 3600);
    const boot = lastBoot({ ...stormy.device.moment, at: stormy.device.moment.at + DAY_S })!;
    stormy.device.clock.advance((boot - stormy.device.moment.at) * 1000 - 2_000);
    await stormy.login();
    stormy.device.clock.advance(2_000 + 10_000);
    await expect(stormy.get('/api/session/status')).rejects.toMatchObject({ code: 'ECONNRESET' });
    stormy.device.clock.advance(BOOT_S * 1000);
    expect((await stormy.get('/api/session/status')).body.errors[0].code).toBe(123);
    await stormy.login();
    expect(stormy.device.uptimeSeconds).toBeLessThan(BOOT_S + 60);
    expect((await modemOf(stormy)).rxbytes).toBeLessThan(before.rxbytes);
    expect(stormy.device.ledger.summary(stormy.device.index).effects['reboot']).toBeGreaterThan(0);
  });

  it('a restart that the settings plan is carried out', async () => {
    const caller = await deviceAt('calm', 2 * 3600);
    const { device } = caller;
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    // One time has passed today already, and restarts nothing.
    await caller.post('/api/auto_reboot/scheduler/config', { enable: '1', days, time: ['01:00:00', '03:00:00'] });
    expect(device.uptimeSeconds).toBeGreaterThan(DAY_S / 2);
    device.clock.advance(3_600_000 + 2 * BOOT_S * 1000);
    expect((await caller.get('/api/session/status')).body.errors[0].code).toBe(123);
    expect(device.bootedAt % DAY_S).toBe(3 * 3600);
  });

  it('data usage agrees with the counters of the modem', async () => {
    const caller = await deviceAt('field', 12 * 3600);
    const { device } = caller;
    const [modem, custom] = await Promise.all([
      modemOf(caller),
      caller.get(`/api/data_usage/custom/status?from=${device.bootedAt}&to=${Math.floor(device.moment.at)}`),
    ]);
    const rows: number[][] = custom.body.data;
    const received = rows.reduce((sum, [, rx]) => sum + rx!, 0);
    // The clock runs between the two answers.
    expect(Math.abs(received - modem.rxbytes)).toBeLessThan(1_000_000);
    expect(received).toBeGreaterThan(1_000_000);
  });

  it('the counter of a month begins at zero on its first day', async () => {
    const caller = await deviceAt('calm', 0);
    const { clock } = caller.device;
    const first = new Date(clock.now());
    const nextMonth = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
    clock.advance(nextMonth - clock.now() - 60_000);
    await caller.login();
    const rowsOf = async (interval: string): Promise<number[][]> =>
      (await caller.get(`/api/data_usage/${interval}/status`)).body.data;
    const full = await rowsOf('month');
    expect(full.length).toBeGreaterThanOrEqual(28);
    clock.advance(3_600_000);
    await caller.login();
    const fresh = await rowsOf('month');
    expect(fresh.map(([begin]) => begin! * 1000)).toEqual([nextMonth]);
    const total = (await rowsOf('total')).at(-1)!;
    // The clock runs between the two answers.
    expect([total[0]! * 1000, Math.abs(total[1]! - fresh[0]![1]!) < 1_000_000]).toEqual([nextMonth, true]);
  });

  it('a change of the primary SIM takes effect when the modem connects again', async () => {
    const caller = await deviceAt('calm', 12 * 3600);
    expect((await modemOf(caller)).active_sim).toBe(1);
    await caller.put('/api/sim_cards/config/2', { primary: '1' });
    expect((await caller.get('/api/sim_cards/config/1')).body.data.primary).toBe('0');
    expect((await modemOf(caller)).active_sim).toBe(1);
    const reply = await caller.post('/api/modems/2-1/actions/restart_connection');
    expect(reply.body).toEqual({ success: true });
    const stages: number[] = [];
    for (let step = 0; step < 12; step++) {
      stages.push((await modemOf(caller)).mobile_stage);
      caller.device.clock.advance(1_000);
    }
    expect(stages[0]).toBe(MOBILE_STAGES.searching);
    expect(stages.at(-1)).toBe(MOBILE_STAGES.connected);
    expect((await modemOf(caller)).active_sim).toBe(2);
    const { mob1s1a1, mob1s2a1 } = (await caller.get('/api/failover/status')).body.data;
    expect([mob1s1a1.status, mob1s2a1.status]).toEqual(['offline', 'online']);
  });

  it('flight mode ends the connection until it is off', async () => {
    const caller = await deviceAt('calm', 12 * 3600);
    const stageWith = async (flight_mode: string) => {
      await caller.put('/api/modems/2-1/global', { flight_mode });
      const { mobile_stage, state } = await modemOf(caller);
      return [mobile_stage, state];
    };
    expect(await stageWith('1')).toEqual([MOBILE_STAGES.flight, 'Disconnected']);
    const { rxbytes } = await modemOf(caller);
    caller.device.clock.advance(3_600_000);
    await caller.login();
    expect((await modemOf(caller)).rxbytes).toBe(rxbytes);
    expect(await stageWith('0')).toEqual([MOBILE_STAGES.connected, 'Connected']);
  });

  it('the bytes of both SIM cards are those of the modem', async () => {
    const { device } = await deviceAt('storm', 12 * 3600);
    const [from, to] = [Math.floor(device.moment.at) - 3 * DAY_S, Math.floor(device.moment.at)];
    const [one, two] = ([1, 2] as const).map((sim) => device.modem.bytesOf(sim, from, to));
    const all = device.modem.bytesBetween(from, to);
    expect({ rx: one!.rx + two!.rx, tx: one!.tx + two!.tx }).toEqual(all);
    expect(Math.min(one!.rx, two!.rx)).toBeGreaterThan(0);
  });

  it('a connection begins again after a break, whatever a caller did before', async () => {
    const caller = await deviceAt('storm', 12 * 3600);
    const { device } = caller;
    device.modem.act('reconnect');
    const { to } = firstOutage({ ...device.moment, at: device.moment.at + SLOT_S }, 'mobile');
    device.clock.advance((to + 30 - device.moment.at) * 1000);
    await caller.login();
    const found = (await caller.get('/api/interfaces/status/mob1s1a1')).body.data;
    expect(found.up).toBe(true);
    expect(found.uptime).toBeLessThan(60);
  });

  it('a modem that restarts is offline at first, and connected in the end', async () => {
    const caller = await deviceAt('calm', 12 * 3600);
    await caller.post('/api/modems/2-1/actions/reboot');
    expect(await modemOf(caller)).toMatchObject({ id: '2-1', offline: '1' });
    caller.device.clock.advance(45_000);
    expect(await modemOf(caller)).toMatchObject({ mobile_stage: MOBILE_STAGES.connected, state: 'Connected' });
  });

  it('a power cut restarts uptime and counters', async () => {
    const { device } = await deviceAt('calm', 12 * 3600);
    expect(device.uptimeSeconds).toBeGreaterThan(60);
    await device.stop();
    await device.start();
    expect(device.uptimeSeconds).toBeLessThan(10);
    expect(device.modem.bytesBetween(device.bootedAt, Math.floor(device.moment.at)).rx).toBeLessThan(2_000_000);
  });

  it('signal words, interfaces and failover change together when the link breaks', async () => {
    const fleet = await fleets.start({
      groups: [{ devices: 1, family: 'TRB140', profile: 'rutos', scenario: 'storm' }],
      devices: 1,
    });
    const caller = new Caller(fleet.devices[1]!);
    const { device } = caller;
    const { from, to } = firstOutage({ ...device.moment, at: device.moment.at + SLOT_S }, 'mobile');
    device.clock.advance((from + 120 - device.moment.at) * 1000);
    expect(to - from).toBeGreaterThan(120);
    await caller.login();
    expect(await modemOf(caller)).toMatchObject({
      state: 'Disconnected',
      netstate: 'Searching',
      netstate_id: 2,
      operator_state: 'Searching',
      conntype: 'N/A',
      mobile_stage: MOBILE_STAGES.searching,
      cell_info: [],
      rssi: -84,
      rsrp: -107,
      rsrq: -16,
      sinr: -2,
      signal: -84,
      cellid: 'N/A',
      lac: 'N/A',
      tac: 'N/A',
    });
    const history = (await caller.get('/api/modems/signal/status/3-1')).body.data;
    expect(history.at(-1)).toMatchObject({ band: 'N/A', network_type: 0, rsrp: -107 });
    const text = { number: '+37060000001', message: 'hello' };
    expect((await caller.post('/api/messages/actions/send', text)).body.errors[0].code).toBe(15);
    const [failover, found, internet] = await Promise.all(
      ['failover/status', 'interfaces/status/mob1s1a1', 'internet_connection/status'].map(
        async (path) => (await caller.get(`/api/${path}`)).body.data,
      ),
    );
    expect(failover).toEqual({ mob1s1a1: { status: 'offline', up: false, running: false } });
    expect(found).toMatchObject({ up: false, uptime: 0, ipaddrs: [], route: [] });
    expect(internet.ipv4_status).toBe('Offline');
  });
});
