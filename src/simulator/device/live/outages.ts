/*
 * When links break. Time is cut into slots of three hours, and each slot has at most one break of each link, which lies
 * within the slot. So a sum over time needs one look per slot.
 */
import { chanceAt, STREAMS, wholeAt } from './noise.js';
import type { LiveMoment } from './scenarios.js';

export const SLOT_S = 3 * 3600;

/** From a second to another (excluded), since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type LinkKind = 'mobile' | 'wired';

export const slotOf = (at: number): number => Math.floor(at / SLOT_S);

/** The break of a link in a slot; null when the slot has none. */
export function outageIn({ seed, scenario }: LiveMoment, kind: LinkKind, slot: number): Span | null {
  const stream = kind === 'mobile' ? STREAMS.mobileOutage : STREAMS.wiredOutage;
  const likely = kind === 'mobile' ? scenario.mobileOutage : scenario.wiredOutage;
  if (likely === 0 || chanceAt(seed, stream, slot * 3) >= likely) return null;
  const [least, most] = scenario.outageS;
  const length = wholeAt(seed, stream, slot * 3 + 1, least, most);
  // It begins ten minutes after the slot or later: the modem has then returned to its first SIM.
  const from = slot * SLOT_S + wholeAt(seed, stream, slot * 3 + 2, 600, SLOT_S - most - 600);
  return { from, to: from + length };
}

/** The break that a link has at a moment. */
export function outageAt(moment: LiveMoment, kind: LinkKind): Span | null {
  const outage = outageIn(moment, kind, slotOf(moment.at));
  return outage && outage.from <= moment.at && moment.at < outage.to ? outage : null;
}

/** Seconds of a break until a modem tries its other SIM, and until that one is connected. */
export const SWITCH_AFTER_S = 60;
export const SWITCH_TAKES_S = 30;

/** What of a break of the mobile connection carries no traffic: a modem with two SIMs changes to the other one. */
export function silenceIn(moment: LiveMoment, kind: LinkKind, slot: number, hasTwoSims: boolean): Span | null {
  const outage = outageIn(moment, kind, slot);
  if (!outage || kind === 'wired' || !hasTwoSims) return outage;
  return { from: outage.from, to: Math.min(outage.to, outage.from + SWITCH_AFTER_S + SWITCH_TAKES_S) };
}

/** A cable is in the socket of every third device that has one (chosen). */
export function hasCable({ seed }: LiveMoment): boolean {
  return chanceAt(seed, STREAMS.wiring, 0) < 1 / 3;
}

/** Seconds of a span up to `until`. */
export function secondsOf(span: Span | null, until: number): number {
  return span === null ? 0 : Math.max(0, Math.min(until, span.to) - span.from);
}

/** What two spans have in common. */
export function overlap(one: Span | null, other: Span | null): Span | null {
  if (one === null || other === null) return null;
  const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)];
  return from < to ? { from, to } : null;
}

/** The end of the last break of a link that ended; `bootedAt` when there was none since. Seconds since 1970. */
export function upSince(moment: LiveMoment, kind: LinkKind, bootedAt: number): number {
  for (let slot = slotOf(moment.at); slot >= slotOf(bootedAt); slot--) {
    const outage = outageIn(moment, kind, slot);
    if (outage && outage.to <= moment.at) return Math.max(bootedAt, outage.to);
  }
  return bootedAt;
}
