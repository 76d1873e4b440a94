import { knownServices, wordsOfService } from '../../../../../src/device-api/words/dictionary.js';
import { readable } from '../../../../../src/device-api/words/readable.js';
import { countText, numberText } from '../../../api/amount-text.js';
import { liveTitle } from '../../fan-outs/asking/live-questions.js';

/* What a call to many devices does, in words: of a request that waits for approval, and of a fan-out. */

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
}

export interface AskedSummary {
  /** Null: it names devices, and the reader sees only some devices. */
  readonly selector: string | null;
  readonly requests: readonly AskedRequest[];
}

/** The summary of an approval; what is not as expected is left out. */
export function readSummary(summary: Readonly<Record<string, unknown>>): AskedSummary {
  const { selector, requests } = summary;
  return {
    selector: typeof selector === 'string' ? selector : null,
    requests: Array.isArray(requests) ? requests.filter(isRequest) : [],
  };
}

const isRequest = (value: unknown): value is AskedRequest => {
  const { method, path } = (value ?? {}) as Record<string, unknown>;
  return typeof method === 'string' && typeof path === 'string';
};

/** The same as a title: `Restart 25 devices`. */
export function actTitle(requests: readonly AskedRequest[], devices: number | null): string {
  const text = actText({ requests }, devices);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\/system\/actions\/reboot$/, 'restart'],
  [/\/firmware\/.*actions\/upgrade$/, 'install firmware on'],
  [/\/firmware\/.*actions\//, 'prepare firmware on'],
  [/\/actions\/reset_settings$/, 'reset the settings of'],
  [/\/backup\/.*actions\/(?:apply|restore)$/, 'restore a backup on'],
  [/\/backup\/actions\/generate$/, 'make a backup on'],
  [/\/backup\/actions\/download$/, 'download a backup of'],
  [/\/certificates\/actions\/generate$/, 'make a certificate on'],
  [/\/certificates\/[^/]*key[^/]*\/actions\/download$/, 'download a private key of'],
  [/\/certificates\/[^/]+\/actions\/download$/, 'download a certificate of'],
];

const KNOWN = new Set(knownServices());

/** A service by its name in the menus; one without a name there by the words of its path. */
const serviceTitle = (service: string): string =>
  KNOWN.has(service) ? wordsOfService(service).title : service.split('/').map(readable).join(' › ');

/** `restart`, `change “Time servers” on`: a verb before a number of devices. */
function verbOf({ method, path }: AskedRequest): string {
  const state = method === 'GET' ? liveTitle(path) : null;
  if (state) return `read “${state}” of`;
  const known = method !== 'GET' && ACTIONS.find(([pattern]) => pattern.test(path));
  if (known) return known[1];
  const service = serviceTitle(path.replace(/^\/api\//, '').replace(/\/(?:config|global|status)(?:\/.*)?$/, ''));
  if (method === 'GET') return `read “${service}” of`;
  if (method === 'PUT') return `change “${service}” on`;
  if (method === 'DELETE') return `remove from “${service}” on`;
  return path.includes('/actions/') ? `run “${service}” on` : `add to “${service}” on`;
}

/** `restart 25 devices`. @param devices null: not known to the reader */
export function actText({ requests }: Pick<AskedSummary, 'requests'>, devices: number | null): string {
  const amount = devices === null ? 'some devices' : countText(devices, 'device');
  const [first, ...others] = requests;
  if (!first) return `write to ${amount}`;
  const more = others.length > 0 ? `, and send ${countText(others.length, 'more call')}` : '';
  return `${verbOf(first)} ${amount}${more}`;
}

/** The verbs of such texts as what was done. */
const PAST: Readonly<Record<string, string>> = {
  add: 'Added',
  change: 'Changed',
  download: 'Downloaded',
  install: 'Installed',
  make: 'Made',
  prepare: 'Prepared',
  read: 'Read',
  remove: 'Removed',
  reset: 'Reset',
  restart: 'Restarted',
  restore: 'Restored',
  run: 'Ran',
};

/** What a call did or was to do on its one device: `Restarted`, `Tried to change “ntp”`. @param outcome null: it is under way */
export function calledText(request: AskedRequest, outcome: string | null): string {
  const text = verbOf(request).replace(/ (?:of|on)$/, '');
  if (outcome !== 'succeeded') return `${outcome === null ? 'Begins to' : 'Tried to'} ${text}`;
  const [verb = '', ...rest] = text.split(' ');
  return [PAST[verb] ?? verb, ...rest].join(' ');
}

/** Whether two requests do the same, in the same order. */
export const isSameAct = (a: readonly AskedRequest[], b: readonly AskedRequest[]): boolean =>
  a.length === b.length && a.every(({ method, path }, at) => b[at]?.method === method && b[at].path === path);

/** `reaches 22 of 25 devices now`; empty where it reaches all. */
export const reachText = ({ reached, matched }: { readonly reached: number; readonly matched: number }): string =>
  reached === matched ? '' : `reaches ${numberText(reached)} of ${countText(matched, 'device')} now`;

/** `lab-22, lab-23 …`: the names of some of so many. */
export const namesText = (names: readonly string[], count: number): string =>
  `${names.join(', ')}${count > names.length ? ' …' : ''}`;
