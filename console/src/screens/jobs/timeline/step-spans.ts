import { type components } from '../../../../../src/api-client/api-client.js';

/* The steps of a job over time. A line of its log is written when something has happened, so a step ends with its last line. */

type Job = components['schemas']['JobWithLog'];

type LogLine = Job['log'][number];

export interface StepSpan {
  readonly step: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly LogLine[];
}

/** Steps whose first line says that the command is sent next: from then on the job cannot be cancelled. */
const NO_RETURN: Readonly<Record<string, readonly string[]>> = {
  call: ['write'],
  certificates: ['clear', 'order'],
  configure: ['apply'],
  credentials: ['set'],
  firmware: ['upgrade'],
  reboot: ['restart'],
  restore: ['apply'],
  upload: ['send'],
  users: ['change'],
};

const TITLES: Readonly<Record<string, string>> = {
  wait_first: 'Waits for its turn',
  identify: 'Checks the device',
  generate: 'Device makes the backup',
  download: 'Fetches the file',
  recheck: 'Checks the file',
  read: 'Reads',
  write: 'Sends the call',
  survey: 'Looks at the files',
  inspect: 'Reads the files',
  clear: 'Removes old files',
  order: 'Asks for new files',
  wait: 'Waits for the device',
  check: 'Checks',
  apply: 'Applies it',
  verify: 'Verifies',
  undo: 'Takes it back',
  look: 'Looks at the account',
  recover: 'Finds the password',
  set: 'Sets the password',
  done: 'Proves it',
  start: 'Starts',
  upload: 'Uploads the file',
  offer: 'Asks the vendor',
  fetch: 'Starts the download',
  discard: 'Removes the image',
  upgrade: 'Flashes the image',
  confirm: 'Confirms the result',
  restart: 'Restarts',
  send: 'Sends the file',
  refer: 'Uses the file',
  tidy: 'Tidies up',
  compare: 'Compares',
  change: 'Changes accounts',
  prove: 'Proves passwords',
  follow: 'Looks at the new address',
  plan: 'Compares with the template',
  note: 'Stores what the device has',
};

export const stepTitle = (step: string): string => TITLES[step] ?? step.replaceAll('_', ' ');

/** Lines of the job itself, not of a step on the device. */
const NO_STEPS = new Set(['start', 'end']);

export const isOfStep = ({ step }: LogLine): boolean => !NO_STEPS.has(step);

type Timed = Pick<Job, 'createdAt' | 'startedAt' | 'endedAt' | 'log' | 'step'> & Partial<Pick<Job, 'outcome'>>;

/** It may end within a step that has said nothing. */
const BROKEN_OFF = new Set(['failed', 'unknown', 'not_executed']);

/** The steps in their order, with the wait before the first. @param now in milliseconds, for a job that has not ended */
export function stepSpans(
  { createdAt, startedAt, endedAt, log, step, outcome }: Timed,
  now: number,
): readonly StepSpan[] {
  const created = Date.parse(createdAt);
  const end = endedAt ? Date.parse(endedAt) : Math.max(now, created);
  const begun = startedAt ? Math.min(end, Date.parse(startedAt)) : end;
  const spans: StepSpan[] = [
    { step: 'wait_first', title: stepTitle('wait_first'), from: created, to: begun, lines: [] },
  ];
  for (const line of log) {
    if (!isOfStep(line)) continue;
    const last = spans.at(-1)!;
    const at = Math.min(end, Math.max(last.to, Date.parse(line.at)));
    if (last.step === line.step) spans[spans.length - 1] = { ...last, to: at, lines: [...last.lines, line] };
    else spans.push({ step: line.step, title: stepTitle(line.step), from: last.to, to: at, lines: [line] });
  }
  const last = spans.at(-1)!;
  const isWithin = endedAt === null || BROKEN_OFF.has(outcome ?? '');
  const isOpen = isWithin && startedAt !== null && last.step !== step && !NO_STEPS.has(step);
  if (isOpen) return [...spans, { step, title: stepTitle(step), from: last.to, to: end, lines: [] }];
  return [...spans.slice(0, -1), { ...last, to: end }];
}

/** When the job began what cannot be taken back; null: it has not, or its kind has no such point. */
export function noReturnAt({ kind, log }: { readonly kind: string; readonly log: readonly LogLine[] }): number | null {
  const line = log.find(({ step }) => NO_RETURN[kind]?.includes(step));
  return line ? Date.parse(line.at) : null;
}

/** The job as a whole: it says how exactly its times are shown. Milliseconds. */
export interface Whole {
  readonly from: number;
  readonly to: number;
}

/** Tenths of a second below a minute, seconds below an hour, then minutes. */
const unitOf = ({ from, to }: Whole): number => (to - from < 60_000 ? 100 : to - from < 3_600_000 ? 1_000 : 60_000);

/**
 * `4.2 s`, `1 min 5 s`. The moments are rounded and not the lengths, so that the lengths of all parts are together the length of the
 * whole as it is shown.
 */
export function lengthOf({ from, to }: { readonly from: number; readonly to: number }, whole: Whole): string {
  const unit = unitOf(whole);
  const round = (at: number) => Math.round((at - whole.from) / unit);
  const ms = (round(to) - round(from)) * unit;
  if (unit === 100) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (unit === 1_000) return minutes === 0 ? `${ms / 1_000} s` : `${minutes} min ${(ms % 60_000) / 1_000} s`;
  if (minutes < 60) return `${minutes} min`;
  return [`${Math.floor(minutes / 60)} h`, minutes % 60 > 0 && `${minutes % 60} min`].filter(Boolean).join(' ');
}
