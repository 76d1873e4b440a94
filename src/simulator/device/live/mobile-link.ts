/*
 * The mobile connection at a moment: which SIM, how far the modem is in connecting, and since when. Breaks come from the
 * scenario, and actions of the caller (a restart of the modem, another SIM) from the device. A modem with two SIMs changes to
 * the other one when its connection stays away.
 */
import { outageAt, SWITCH_AFTER_S, SWITCH_TAKES_S } from './outages.js';
import type { LiveMoment } from './scenarios.js';

/** What a caller made the modem do. */
export interface ModemAction {
  readonly kind: 'reboot' | 'reconnect' | 'switch';
  /** Seconds since 1970. */
  readonly at: number;
  /** Simulated seconds that pass in a second. */
  readonly pace: number;
}

/** Positions of SIM cards. */
export type SimPosition = 1 | 2;

export interface MobileLink {
  readonly isUp: boolean;
  readonly sim: SimPosition;
  /** 0 to 23; 19 is connected (`MOBILE_STAGES`). */
  readonly stage: number;
  /** Whether a network has accepted the SIM. */
  readonly isRegistered: boolean;
  /** Seconds since 1970, of a change that a break of the link does not explain; null: there was none. */
  readonly since: number | null;
}

/** The stages that are known from recordings and clients; those between them are chosen. */
export const MOBILE_STAGES = {
  starting: 0,
  pin: 5,
  puk: 6,
  searching: 10,
  switching: 13,
  connecting: 17,
  connected: 19,
  flight: 23,
} as const;

/** Stages after an action, each from so many simulated seconds on. */
const STEPS: Readonly<Record<ModemAction['kind'], readonly (readonly [fromS: number, stage: number])[]>> = {
  reboot: [
    [0, MOBILE_STAGES.starting],
    [15, MOBILE_STAGES.searching],
    [30, MOBILE_STAGES.connecting],
    [40, MOBILE_STAGES.connected],
  ],
  reconnect: [
    [0, MOBILE_STAGES.searching],
    [5, MOBILE_STAGES.connecting],
    [10, MOBILE_STAGES.connected],
  ],
  switch: [
    [0, MOBILE_STAGES.switching],
    [10, MOBILE_STAGES.searching],
    [20, MOBILE_STAGES.connecting],
    [30, MOBILE_STAGES.connected],
  ],
};

/** Simulated seconds from each action until the modem is connected again. */
export const ACTION_TAKES_S = {
  reboot: STEPS.reboot.at(-1)![0],
  reconnect: STEPS.reconnect.at(-1)![0],
  switch: STEPS.switch.at(-1)![0],
};

const otherSim = (sim: SimPosition): SimPosition => (sim === 1 ? 2 : 1);

/**
 * The connection of a modem.
 * @param chosen the SIM that is to be used
 * @param action the last action on the modem; null: none since the start
 */
export function mobileLinkAt(
  moment: LiveMoment,
  chosen: SimPosition,
  hasTwo: boolean,
  action: ModemAction | null,
): MobileLink {
  const stage = action ? stageOf(action, moment.at) : MOBILE_STAGES.connected;
  if (action && stage !== MOBILE_STAGES.connected) return down(chosen, stage, action.at);
  const outage = outageAt(moment, 'mobile');
  if (!outage) return { ...UP, sim: chosen, since: null };
  const lasted = moment.at - outage.from;
  if (!hasTwo || lasted < SWITCH_AFTER_S) return down(chosen, MOBILE_STAGES.searching, outage.from);
  if (lasted < SWITCH_AFTER_S + SWITCH_TAKES_S) return down(chosen, MOBILE_STAGES.switching, outage.from);
  return { ...UP, sim: otherSim(chosen), since: outage.from + SWITCH_AFTER_S + SWITCH_TAKES_S };
}

const UP = { isUp: true, stage: MOBILE_STAGES.connected, isRegistered: true };

const down = (sim: SimPosition, stage: number, since: number): MobileLink => ({
  isUp: false,
  sim,
  stage,
  isRegistered: stage === MOBILE_STAGES.connecting,
  since,
});

function stageOf({ kind, at, pace }: ModemAction, now: number): number {
  const passed = (now - at) * pace;
  return (STEPS[kind].findLast(([from]) => passed >= from) ?? STEPS[kind][0]!)[1];
}
