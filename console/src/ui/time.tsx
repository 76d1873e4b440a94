import { type ReactNode, useSyncExternalStore } from 'react';
import { gatewayNow } from '../api/clock.js';
import { relativeText } from '../../../src/api-client/relative-time.js';
import { useTimeForm } from '../api/time-form.js';

/* Relative times with the exact one on hover. One timer serves the whole page. */

let now = gatewayNow();
const watchers = new Set<() => void>();
const tick = () => {
  now = gatewayNow();
  for (const watcher of watchers) watcher();
};
setInterval(tick, 10_000);
document.addEventListener('visibilitychange', tick); // timers of a hidden page are late

function watch(watcher: () => void): () => void {
  if (watchers.size === 0) now = gatewayNow();
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The time now, to ten seconds. */
export const useNow = (): number => useSyncExternalStore(watch, () => now);

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A length of time in its largest unit, such as `4 min`. @param ms milliseconds */
export function durationText(ms: number): string {
  for (const [unit, size] of UNITS) if (Math.abs(ms) >= size) return `${Math.floor(Math.abs(ms) / size)} ${unit}`;
  return '0 s';
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** The exact time in the zone of the reader. */
export const exactText = (at: string | number): string => EXACT.format(new Date(at));

const SHORT = { hour: '2-digit', minute: '2-digit' } as const;
const THIS_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...SHORT });
const OTHER_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function dateText(at: Date, current: number): string {
  const isThisYear = at.getFullYear() === new Date(current).getFullYear();
  return (isThisYear ? THIS_YEAR : OTHER_YEAR).format(at);
}

const CLOCK = new Intl.DateTimeFormat('en-GB', SHORT);

/** `18:40` of today, else with the date. @param current milliseconds */
export function momentText(at: string, current: number): string {
  const then = new Date(at);
  return then.toDateString() === new Date(current).toDateString() ? CLOCK.format(then) : dateText(then, current);
}

/** From here on a date says more than a number of days. */
const DATES_FROM_MS = 7 * 86_400_000;

/** `4 min ago`, `in 2 h`; or `28 Nov, 02:47` from a week on, and where the reader has chosen dates. The other form is its title. */
export function Ago({ at }: { at: string | number | null | undefined }): ReactNode {
  if (at === null || at === undefined) return <span className="quiet">never</span>;
  return <Moment at={at} textOf={(text) => text} />;
}

/** How long something is so: `for 4 min`, or `since 28 Nov, 02:47` where `Ago` has a date. */
export const Since = ({ at }: { at: string }): ReactNode => (
  <Moment
    at={at}
    textOf={(text, isDate) =>
      isDate ? `since ${text}` : text === 'now' ? 'since just now' : `for ${text.replace(/ ago$/, '')}`
    }
  />
);

interface MomentProps {
  at: string | number;
  /** @param text of the two forms the one that is shown @param isDate it is a date */
  textOf: (text: string, isDate: boolean) => string;
}

function Moment({ at, textOf }: MomentProps): ReactNode {
  const current = useNow();
  const form = useTimeForm();
  const ms = current - new Date(at).getTime();
  // What has just happened is not in the future: the time of the page is up to ten seconds old.
  const text = ms > -10_000 && ms < 5_000 ? 'now' : relativeText(-ms);
  const isDate = form === 'absolute' || Math.abs(ms) >= DATES_FROM_MS;
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${isDate ? `${text} · ` : ''}${exactText(at)} (${new Date(at).toISOString()})`}
    >
      {isDate ? textOf(dateText(new Date(at), current), true) : textOf(text, false)}
    </time>
  );
}
