import { type components } from '../../../../src/api-client/openapi.js';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { shortVersion } from '../../../../src/device-api/firmware-version.js';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { gatewayNow } from '../../api/clock.js';
import { knownCause } from '../../ui/words/failure-text.js';
import { sentence } from '../../api/device-texts.js';
import { ENDS_SOON_DAYS } from '../../api/limits/certificate-end.js';
import { waitText } from './standing/waits.js';

/* What a job has brought about, in a few words: what its kind stores as the result. */

type Job = components['schemas']['Job'];
type Result = Readonly<Record<string, unknown>>;

/** Empty where the result has nothing to say. */
export function resultText({ kind, outcome, failure, result, spec }: Job): string {
  if (outcome === null) return '';
  if (failure) return causeText(failure);
  if (outcome === 'cancelled') return 'Nothing more was done';
  const known = typeof result === 'object' && result !== null ? (result as Result) : {};
  return WORDS[kind]?.(known, spec) ?? '';
}

/** What a job does now, or what it waits for. */
export function doingText(job: Job): string {
  const { failure, progress, step, waitReason, wakeAt } = job;
  const again = waitReason === 'retry' ? againText(Date.parse(wakeAt) - gatewayNow()) : null;
  if (failure) return [causeText(failure), again].filter(Boolean).join('; ');
  if (again !== null) return sentence(again);
  const wait = waitReason === null ? null : waitText(job);
  return wait === null ? (progress?.text ?? step ?? '') : `Waits for ${wait}`;
}

/** `tries again in 3 min`. */
const againText = (ms: number): string => (ms < 1_000 ? 'tries again now' : `tries again ${relativeText(ms)}`);

/** What each kind does to a device, where it has succeeded. */
const DONE: Readonly<Record<string, string>> = {
  backup: 'backed up',
  firmware: 'updated',
  reboot: 'restarted',
  restore: 'restored',
  move: 'moved',
  credentials: 'with a new password',
  users: 'with the wanted accounts',
  upload: 'with the file',
  configure: 'changed',
  reconcile: 'as the template says',
};

/** What jobs of one kind that ended alike have brought about: `20 backed up, 21.4 MB`, or what all of them say. */
export function groupResultText(jobs: readonly Job[]): string {
  const texts = new Set(jobs.map((job) => (job.phase === 'ended' ? resultText(job) : doingText(job))));
  const [first] = jobs;
  const [only = ''] = texts;
  if (!first || texts.size === 1) return only;
  if (first.outcome !== 'succeeded') return '';
  const bytes = jobs.reduce(
    (sum, { result }) => sum + (typeof result?.['bytes'] === 'number' ? result['bytes'] : 0),
    0,
  );
  const all = `${numberText(jobs.length)} ${DONE[first.kind] ?? 'done'}`;
  return bytes > 0 ? `${all}, ${bytesText(bytes)}` : all;
}

/** The cause of a failure in a few words: by its code, or the first sentence of its message. */
const causeText = ({ code, message }: { code: string; message: string }): string =>
  knownCause(code) ?? /^[^.;:]{8,}?(?=[.;:](?:\s|$))/.exec(message)?.[0] ?? message;

const WORDS: Readonly<Record<string, (result: Result, spec: Result) => string>> = {
  backup: ({ bytes, unchanged }) => {
    const text = typeof bytes === 'number' ? `Backed up ${bytesText(bytes)}` : 'Backed up';
    return unchanged === true ? `${text}, unchanged` : text;
  },
  firmware: firmwareText,
  move: ({ address }) => (typeof address === 'string' ? `Answers at ${address}` : 'Answers there'),
  reboot: (result) => backText(result, 'Restarted'),
  restore: (result) => backText(result, 'Restored'),
  certificates: certificatesText,
  credentials: ({ account }) => (account === 'login' ? 'The login is new' : 'The password is new'),
  users: ({ asTheyWere }) =>
    typeof asTheyWere === 'number' && asTheyWere > 0
      ? `As wanted; ${numberText(asTheyWere)} as they were`
      : 'As wanted',
  upload: ({ path }) => (typeof path === 'string' ? `Stored at ${path}` : 'Stored'),
  call: callText,
  configure: configureText,
  reconcile: reconcileText,
};

function firmwareText({ from, version, changed }: Result): string {
  const now = typeof version === 'string' ? shortVersion(version) : 'another version';
  if (changed === false) return `Already ran ${now}`;
  return typeof from === 'string' ? `Updated ${shortVersion(from)} → ${now}` : `Updated to ${now}`;
}

const backText = ({ downSeconds }: Result, what: string): string =>
  typeof downSeconds === 'number' ? `${what}; away for ${numberText(Math.round(downSeconds))} s` : what;

function callText({ status, verified }: Result): string {
  const answered = typeof status === 'number' ? `Answered ${status}` : 'The answer was lost';
  return verified === true ? `${answered}; the device has the value` : answered;
}

function configureText({ dryRun, changed, difference }: Result): string {
  if (dryRun === true) return `Would change ${countText(lengthOf(difference), 'section')}; nothing was sent`;
  return changed === 0 ? 'Nothing differed' : `Made ${countText(Number(changed) || 0, 'change')}`;
}

function reconcileText({ changed, left }: Result): string {
  if (changed === 0) return 'Nothing differed';
  const made = `Made ${countText(Number(changed) || 0, 'change')}`;
  return Number(left) > 0 ? `${made}; ${numberText(Number(left))} are left` : made;
}

/** What was issued, reissued, or left as it is, because its end is further away than the job was to look. */
function certificatesText({ renewed, certificates }: Result, { renewBeforeDays }: Result): string {
  if (renewed !== false) return `Reissued ${countText(lengthOf(certificates), 'certificate')}`;
  const [first] = Array.isArray(certificates) ? (certificates as { notAfter?: unknown }[]) : [];
  const ms = Date.parse(String(first?.notAfter)) - gatewayNow();
  const end = Number.isNaN(ms) ? '' : `, ends ${relativeText(ms)}`;
  if (typeof renewBeforeDays !== 'number')
    return ms < ENDS_SOON_DAYS * 86_400_000
      ? `Issued${end}; the rule asks for ${countText(ENDS_SOON_DAYS, 'day')}`
      : `Issued${end}`;
  return `Not due${end}; reissued in its last ${countText(renewBeforeDays, 'day')}`;
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
