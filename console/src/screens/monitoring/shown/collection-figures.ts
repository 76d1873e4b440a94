import { bytesText } from '../../../api/amount-text.js';

/* What collections read and cost. Pure. */

/** A sample may be late by four turns before it is missed: a busy gateway reads with delay. */
export const TURNS = 5;

/** The devices that answer, and have a sample as new as the rhythm asks for. */
export const answeringSelector = (selector: string, everySeconds: number): string =>
  `(${selector}) & state:online & sample<${TURNS * everySeconds}s`;

interface Collection {
  readonly selector: string | null;
  readonly everySeconds: number;
  readonly enabled: boolean;
}

/** The devices of collections that have no such sample now; empty: there is no collection that the reader may see. */
export const unsampledSelector = (collections: readonly Collection[]): string =>
  collections
    .flatMap(({ selector, everySeconds, enabled }) =>
      enabled && selector !== null ? [`((${selector}) & !(${answeringSelector(selector, everySeconds)}))`] : [],
    )
    .join(' | ');

/** `48 MB a device`. */
export const perDeviceText = ({ bytesPerMonth, devices }: { bytesPerMonth: number; devices: number }): string =>
  devices === 0 ? '' : `${bytesText(bytesPerMonth / devices)} a device`;

/** Days of a month, as the price has it. */
const MONTH_MS = 30 * 86_400_000;

/** `about 2 %`: the price of the month until now, of the data that devices counted in it. */
export function shareText(bytesPerMonth: number, used: number, now: number): string {
  const date = new Date(now);
  const passed = (now - Date.UTC(date.getUTCFullYear(), date.getUTCMonth())) / MONTH_MS;
  const share = (100 * bytesPerMonth * Math.min(1, passed)) / used;
  return share < 1 ? 'below 1 %' : `about ${Math.round(share)} %`;
}
