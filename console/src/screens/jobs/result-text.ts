import { relativeText } from '../../../../src/api-client/relative-time.js';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { shortVersion } from '../rollouts/pictures/firmware-rows.js';

/* What a job has brought about, in a few words: what its kind stores as the result. */

type Job = Schema<'Job'>;
type Result = Readonly<Record<string, unknown>>;

/** Empty where the result has nothing to say. */
export function resultText({ kind, outcome, failure, result }: Job): string {
  if (outcome === null) return '';
  if (failure) return failure.message;
  if (outcome === 'cancelled') return 'Nothing more was done';
  const known = typeof result === 'object' && result !== null ? (result as Result) : {};
  return WORDS[kind]?.(known) ?? '';
}

const WORDS: Readonly<Record<string, (result: Result) => string>> = {
  backup: ({ bytes }) => (typeof bytes === 'number' ? `${bytesText(bytes)} stored` : 'Stored'),
  firmware: firmwareText,
  reboot: (result) => backText(result, 'Restarted'),
  restore: (result) => backText(result, 'Restored'),
  certificates: ({ renewed, certificates }) =>
    renewed === false ? validText(certificates) : `${countText(lengthOf(certificates), 'certificate')} renewed`,
  credentials: ({ account }) => (account === 'login' ? 'The login is new' : 'The password is new'),
  users: ({ asTheyWere }) =>
    typeof asTheyWere === 'number' && asTheyWere > 0
      ? `As wanted; ${numberText(asTheyWere)} as they were`
      : 'As wanted',
  upload: ({ path }) => (typeof path === 'string' ? `Stored at ${path}` : 'Stored'),
  call: callText,
  configure: configureText,
};

function firmwareText({ from, version, changed }: Result): string {
  const now = typeof version === 'string' ? shortVersion(version) : 'another version';
  if (changed === false) return `Already ran ${now}`;
  return typeof from === 'string' ? `${shortVersion(from)} → ${now}` : `Runs ${now}`;
}

const backText = ({ downSeconds }: Result, what: string): string =>
  typeof downSeconds === 'number' ? `${what}; away for ${numberText(Math.round(downSeconds))} s` : what;

function callText({ status, verified }: Result): string {
  const answered = typeof status === 'number' ? `Answered ${status}` : 'The answer was lost';
  return verified === true ? `${answered}; the device has the value` : answered;
}

function configureText({ dryRun, changed, difference }: Result): string {
  if (dryRun === true) return `Would change ${countText(lengthOf(difference), 'section')}; nothing was sent`;
  return changed === 0 ? 'Nothing differed' : `${countText(Number(changed) || 0, 'change')} made`;
}

/** A certificate that is left as it is, since its end is far enough away. */
function validText(certificates: unknown): string {
  const [first] = Array.isArray(certificates) ? (certificates as { notAfter?: unknown }[]) : [];
  const ms = Date.parse(String(first?.notAfter)) - gatewayNow();
  return Number.isNaN(ms) ? 'Valid, not renewed' : `Valid, ends ${relativeText(ms)}`;
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
