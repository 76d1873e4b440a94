import { queries } from '../../api/queries.js';
import { sendCall, wordsOf } from '../device-api/device-call.js';
import { fieldsOf } from '../device-api/document.js';
import { type Answers } from './instruments.js';

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
];

/** Does not change while the device runs, so that it is read once. */
const READ_ONCE: Item = 'system';

export interface LiveReading {
  readonly answers: Answers;
  /** What the request and its answer had in bytes. */
  readonly bytes: number;
  /** Of all readings since the page was opened. */
  readonly allBytes: number;
  readonly readings: number;
}

export const liveKey = (deviceId: string) => ['status', deviceId, 'bulk'] as const;

/**
 * Reads a device. The first reading asks for everything, and later ones for what the device has.
 * @throws ApiError; Error with the device's own words
 */
export async function readLive(deviceId: string, signal: AbortSignal): Promise<LiveReading> {
  const before = queries.getQueryData<LiveReading>(liveKey(deviceId));
  const isAsked = (item: Item) => !before || (item !== READ_ONCE && before.answers[item] !== undefined);
  const items = ITEMS.filter(([item]) => isAsked(item));
  const json = { data: items.map(([, endpoint]) => ({ endpoint, method: 'GET' })) };
  const answer = await sendCall(deviceId, { method: 'POST', path: '/api/bulk', json, isRead: true }, signal);
  if (answer.status >= 300)
    throw new Error(`The device refused it with status ${answer.status}${wordsOf(answer.value)}`);
  const data = fieldsOf(answer.value)['data'];
  if (!Array.isArray(data) || data.length !== items.length) throw new Error('The device answered something else');
  const read = items.flatMap(([item], at) => {
    const envelope = fieldsOf(data[at]);
    return envelope['success'] === true ? [[item, envelope['data']] as const] : [];
  });
  const kept = before?.answers.system === undefined ? {} : { system: before.answers.system };
  const bytes = answer.content.size + JSON.stringify(json).length;
  return {
    answers: { ...kept, ...Object.fromEntries(read) },
    bytes,
    allBytes: (before?.allBytes ?? 0) + bytes,
    readings: (before?.readings ?? 0) + 1,
  };
}
