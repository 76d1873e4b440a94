/* Scenarios: how rough a day the devices of a fleet have. A scenario is data; the files beside it say what follows from it. */
import type { Range } from '../random.js';

export interface Scenario {
  /** Chance that the mobile connection, and the cable, breaks in three hours. */
  readonly mobileOutage: number;
  readonly wiredOutage: number;
  /** Length of a break in seconds. */
  readonly outageS: Range;
  /** The usual signal in dB above that of the recordings' middle, and how far it swings. */
  readonly signalDb: number;
  readonly signalSwingDb: number;
  /** Share of the devices with GPS that are in vehicles, and of the minutes in which they see no satellites. */
  readonly moving: number;
  readonly withoutFix: number;
  /** Share of the devices that restart each night, and chance of one more restart on a day. */
  readonly nightlyBoot: number;
  readonly strayBoot: number;
  /** Degrees Celsius above the usual temperature, and the usual load of the processor, 0 to 1. */
  readonly warmth: number;
  readonly load: number;
}

export const SCENARIOS = {
  /** Nothing breaks: what a fleet in a laboratory shows. */
  calm: {
    mobileOutage: 0,
    wiredOutage: 0,
    outageS: [0, 0],
    signalDb: 4,
    signalSwingDb: 4,
    moving: 0,
    withoutFix: 0,
    nightlyBoot: 0,
    strayBoot: 0,
    warmth: 0,
    load: 0.15,
  },
  /** A fleet at work: vehicles drive, some links break for some minutes, some devices restart at night. */
  field: {
    mobileOutage: 0.1,
    wiredOutage: 0.1,
    outageS: [60, 900],
    signalDb: 0,
    signalSwingDb: 9,
    moving: 0.6,
    withoutFix: 0.05,
    nightlyBoot: 0.25,
    strayBoot: 0.02,
    warmth: 4,
    load: 0.3,
  },
  /** A day on which much breaks: what alerts and rollouts are tested against. */
  storm: {
    mobileOutage: 0.7,
    wiredOutage: 0.6,
    outageS: [300, 5_400],
    signalDb: -8,
    signalSwingDb: 12,
    moving: 1,
    withoutFix: 0.3,
    nightlyBoot: 1,
    strayBoot: 0.5,
    warmth: 10,
    load: 0.6,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** Whose values, and when: all that the functions of live values look at. */
export interface LiveMoment {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Seconds since 1970. */
  readonly at: number;
}
