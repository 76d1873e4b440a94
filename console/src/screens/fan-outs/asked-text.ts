import { bytesText, countText, numberText, pluralText } from '../../api/amount-text.js';

/* What a fan-out will do, before it is sent, in one sentence. */

interface Asked {
  readonly method: string;
  /** The call in words. */
  readonly title: string;
  /** Undefined while it is counted. */
  readonly devices: number | undefined;
}

/** `DHCP leases: asked once of each of 25 devices, 25 calls in all; it only reads.` */
export function askedText({ method, title, devices }: Asked): string {
  const effect = EFFECTS[method] ?? 'it may change them';
  const begin = `${title}: ${method === 'GET' ? 'asked once of' : 'sent once to'}`;
  if (devices === undefined) return `${begin} each device; ${effect}.`;
  if (devices === 1) return `${begin} 1 device; ${effect}.`;
  return `${begin} each of ${countText(devices, 'device')}, ${countText(devices, 'call')} in all; ${effect}.`;
}

/** `2 of them are offline, and most likely do not answer: lab-3, lab-9`. @param names of the first ones */
export function offlineText(devices: number, names: readonly string[]): string {
  const answer = `${pluralText(devices, 'is', 'are')} offline, and most likely ${pluralText(devices, 'does', 'do')} not answer`;
  return `${numberText(devices)} of them ${answer}: ${names.join(', ')}${devices > names.length ? ' …' : ''}`;
}

const EFFECTS: Readonly<Record<string, string>> = {
  GET: 'it only reads',
  PUT: 'it changes what is there',
  POST: 'it adds something, or starts an action',
  DELETE: 'it removes what the path names',
};

/** What the answers cost in data, judged by the first. */
export const costText = (bytes: number, devices: number): string =>
  `Its answer has ${bytesText(bytes)}; ${numberText(devices)} such answers are about ${bytesText(bytes * devices)} of mobile data.`;
