/*
 * Bytes of each link, as a sum that is the same however it is asked for: the bytes of a month are those of its days, and
 * the counters of a modem are those of data usage since its start. The sum is over slots of three hours.
 */
import { hasCable, outageIn, overlap, secondsOf, silenceIn, SLOT_S, slotOf, type LinkKind } from './outages.js';
import { chanceAt, STREAMS } from './noise.js';
import type { LiveMoment } from './scenarios.js';

export interface Bytes {
  readonly rx: number;
  readonly tx: number;
}

/** What of a device decides which link carries its traffic. */
export interface Uplinks {
  readonly hasSocket: boolean;
  readonly hasTwoSims: boolean;
  /** Absent: it has one. A device without a modem always has its cable. */
  readonly hasModem?: boolean;
}

/** Whether a cable leads outside. */
export const isWired = (moment: LiveMoment, { hasSocket, hasModem = true }: Uplinks): boolean =>
  hasSocket && (!hasModem || hasCable(moment));

/** How busy the slots of a day are, from midnight (UTC). */
const DAY = [0.15, 0.1, 0.6, 1.3, 1.6, 1.5, 1.2, 0.6];

/** Received bytes a second of the quietest and the busiest device, in the middle of the day (chosen). */
const LEAST_RATE = 1_000;
const MOST_RATE = 40_000;

/** Sent for each received byte. */
const SENT_SHARE = 0.26;

/** What a mobile link still carries while the cable works: keep-alives. */
const STANDBY_SHARE = 0.03;

/** A rate rises and falls within this time; slots are a multiple of it. */
const WAVE_S = 600;

/** What is the same in all slots of one question. */
interface Course {
  readonly moment: LiveMoment;
  readonly kind: LinkKind;
  readonly hasTwoSims: boolean;
  /** Whether the link only carries traffic while the cable is broken. */
  readonly isStandby: boolean;
  /** Received bytes a second in the middle of the day. */
  readonly rate: number;
}

/** Seconds of a slot, up to an instant, in which the link carries the traffic. */
function busySeconds({ moment, kind, hasTwoSims, isStandby }: Course, slot: number, until: number): number {
  const broken = silenceIn(moment, kind, slot, hasTwoSims);
  const up = until - slot * SLOT_S - secondsOf(broken, until);
  if (!isStandby) return up;
  // The mobile link carries the traffic while the cable is broken, unless it is broken too.
  const wired = outageIn(moment, 'wired', slot);
  const inFor = wired === null ? 0 : secondsOf(wired, until) - secondsOf(overlap(wired, broken), until);
  return inFor + (up - inFor) * STANDBY_SHARE;
}

/** Received bytes of a slot up to an instant. They grow with it: the wave on the straight line never falls. */
function ofSlot(course: Course, slot: number, until: number): number {
  const busy = busySeconds(course, slot, until);
  const rate = course.rate * DAY[slot & 7]! * (0.5 + chanceAt(course.moment.seed, STREAMS.traffic, slot));
  return rate * (busy + WAVE_HEIGHT * Math.sin((2 * Math.PI * busy) / WAVE_S));
}

const WAVE_HEIGHT = (0.8 * WAVE_S) / (2 * Math.PI);

/**
 * Bytes of a link between two instants in seconds since 1970.
 * @param moment whose; its time is not looked at
 */
export function bytesBetween(moment: LiveMoment, kind: LinkKind, uplinks: Uplinks, from: number, to: number): Bytes {
  const hasWire = isWired(moment, uplinks);
  if (kind === 'wired' ? !hasWire : uplinks.hasModem === false) return { rx: 0, tx: 0 };
  const rate = LEAST_RATE + (MOST_RATE - LEAST_RATE) * chanceAt(moment.seed, STREAMS.traffic, -1) ** 3;
  const isStandby = kind === 'mobile' && hasWire;
  const course: Course = { moment, kind, hasTwoSims: uplinks.hasTwoSims, isStandby, rate };
  let [rx, tx] = [0, 0];
  for (let slot = slotOf(from); slot * SLOT_S < to; slot++) {
    const begin = slot * SLOT_S;
    const before = from > begin ? ofSlot(course, slot, from) : 0;
    const after = ofSlot(course, slot, Math.min(to, begin + SLOT_S));
    // Whole bytes at both ends, so that parts add up to their sum exactly.
    rx += Math.floor(after) - Math.floor(before);
    tx += Math.floor(after * SENT_SHARE) - Math.floor(before * SENT_SHARE);
  }
  return { rx, tx };
}
