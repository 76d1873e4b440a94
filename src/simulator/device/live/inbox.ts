/* Text messages that a device received: what its seed says arrived in the last days, without those that a caller removed. */
import { chanceAt, STREAMS, wholeAt } from './noise.js';
import type { LiveMoment } from './scenarios.js';

export interface ReceivedText {
  readonly id: string;
  readonly sender: string;
  readonly message: string;
  readonly status: 'received' | 'read';
  /** Seconds since 1970. */
  readonly at: number;
}

const DAY_S = 86_400;

/** Days that a message stays (chosen). */
const STORED_DAYS = 14;

const TEXTS = [
  'Your data plan was renewed.',
  'You have used 80 percent of your data plan.',
  'Planned work on the network tonight from 01:00 to 04:00.',
  'Welcome to Testnet LT. Calls and data cost the same as at home.',
];

/** A device gets a message on every second day, at some second of it. */
function textOf({ seed, at }: LiveMoment, day: number): ReceivedText | null {
  if (chanceAt(seed, STREAMS.messages, day * 3) < 0.5) return null;
  const arrived = day * DAY_S + wholeAt(seed, STREAMS.messages, day * 3 + 1, 0, DAY_S - 1);
  if (arrived > at) return null;
  const message = TEXTS[wholeAt(seed, STREAMS.messages, day * 3 + 2, 0, TEXTS.length - 1)]!;
  return {
    id: String(day),
    sender: '+37060000000',
    message,
    status: at - arrived > DAY_S ? 'read' : 'received',
    at: arrived,
  };
}

export class Inbox {
  /** Ids of the messages that a caller removed. */
  readonly removed = new Set<string>();

  /** The newest last. */
  list(moment: LiveMoment): ReceivedText[] {
    const today = Math.floor(moment.at / DAY_S);
    const days = Array.from({ length: STORED_DAYS }, (_, index) => today - STORED_DAYS + 1 + index);
    return days
      .map((day) => textOf(moment, day))
      .filter((text) => text !== null && !this.removed.has(text.id)) as ReceivedText[];
  }

  /** @returns whether all ids were there; if not, none is removed */
  remove(moment: LiveMoment, ids: readonly string[]): boolean {
    const known = new Set(this.list(moment).map(({ id }) => id));
    if (!ids.every((id) => known.has(id))) return false;
    // What has left the list by its age need not be remembered.
    for (const id of this.removed) if (Number(id) < moment.at / DAY_S - STORED_DAYS) this.removed.delete(id);
    for (const id of ids) this.removed.add(id);
    return true;
  }
}
