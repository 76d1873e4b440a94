import { ApiError } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { sendCall, wordsOf } from '../device-api/device-call.js';
import { fieldsOf } from '../device-api/document.js';
import { type Answers } from './instruments.js';
import { type InterfacesAt } from './links.js';

/* One reading of a device: one bulk request, whose items are what the instruments show. */

type Item = keyof Answers;

/** What is read, with its title under “All values” and what an entry of it is. The load average is left out: it costs the router a second. */
export const ITEMS: readonly (readonly [item: Item, path: string, title: string, noun: string])[] = [
  ['system', '/api/system/device/status', 'Device', 'Part'],
  ['usage', '/api/system/device/usage/status?exclude=loadavg', 'Load and memory', 'Part'],
  ['modems', '/api/modems/status', 'Mobile', 'Modem'],
  ['interfaces', '/api/interfaces/status', 'Interfaces', 'Interface'],
  ['position', '/api/gps/position/status', 'Position', 'Receiver'],
  ['month', '/api/data_usage/month/status', 'Data of the month', 'Row'],
  ['leases', '/api/dhcp/leases/ipv4/status', 'Clients', 'Client'],
];

/** Does not change while the device runs, so that it is read once. */
const READ_ONCE: Item = 'system';

/** Clients come and go by the minute: their list, the longest answer on a large network, is read with each so many readings. */
const LEASES_EACH = 6;

export interface LiveReading {
  readonly answers: Answers;
  /** When it was answered, in milliseconds. */
  readonly at: number;
  /** The interfaces of the reading before, for rates; null: this is the first. */
  readonly before: InterfacesAt | null;
  /** What the request and its answer had in bytes. */
  readonly bytes: number;
  /** Of all readings since the page was opened. */
  readonly allBytes: number;
  readonly readings: number;
}

export const liveKey = (deviceId: string) => ['status', deviceId, 'bulk'] as const;

type Items = typeof ITEMS;

/** A person may be allowed the status of a router and not its clients: one refused path refuses the whole request. */
async function ask(deviceId: string, items: Items, signal: AbortSignal) {
  const json = { data: items.map(([, endpoint]) => ({ endpoint, method: 'GET' })) };
  const others = items.filter(([item]) => item !== 'leases');
  try {
    const answer = await sendCall(deviceId, { method: 'POST', path: '/api/bulk', json, isRead: true }, signal);
    return { items, json, answer };
  } catch (error) {
    if (others.length === items.length || !(error instanceof ApiError) || error.status !== 403) throw error;
    return ask(deviceId, others, signal);
  }
}

/**
 * Reads a device. The first reading asks for everything, and later ones for what the device has.
 * @throws ApiError; Error with the device's own words
 */
export async function readLive(deviceId: string, signal: AbortSignal): Promise<LiveReading> {
  const before = queries.getQueryData<LiveReading>(liveKey(deviceId));
  const isDue = (item: Item, { readings }: LiveReading) =>
    item === 'leases' ? readings % LEASES_EACH === 0 : item !== READ_ONCE;
  const isAsked = (item: Item) => !before || (before.answers[item] !== undefined && isDue(item, before));
  const { items, json, answer } = await ask(
    deviceId,
    ITEMS.filter(([item]) => isAsked(item)),
    signal,
  );
  if (answer.status >= 300)
    throw new Error(`The device refused it with status ${answer.status}${wordsOf(answer.value)}`);
  const data = fieldsOf(answer.value)['data'];
  if (!Array.isArray(data) || data.length !== items.length) throw new Error('The device answered something else');
  const read = items.flatMap(([item], at) => {
    const envelope = fieldsOf(data[at]);
    return envelope['success'] === true ? [[item, envelope['data']] as const] : [];
  });
  const kept = ITEMS.flatMap(([item]) => (before && !isAsked(item) ? [[item, before.answers[item]] as const] : []));
  const bytes = answer.content.size + JSON.stringify(json).length;
  return {
    answers: Object.fromEntries([...kept.filter(([, data]) => data !== undefined), ...read]),
    at: performance.now(),
    before: before ? { at: before.at, interfaces: before.answers.interfaces } : null,
    bytes,
    allBytes: (before?.allBytes ?? 0) + bytes,
    readings: (before?.readings ?? 0) + 1,
  };
}
