import { type components } from '../../../../src/api-client/api-client.js';
import { type JobDraft, newJob, readJob } from '../job-forms/job-draft.js';
import { actText } from '../jobs/kinds.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { firstWrong, readNumber, readOptional, type TypedNumber } from '../../api/number-text.js';

/* The form of a new rollout as texts, and the request that it makes. */

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

export type TakeKind = 'count' | 'percent' | 'tag' | 'site' | 'rest';
type Day = NonNullable<Schema<'MaintenanceWindowInput'>['days']>[number];

export interface WaveForm {
  readonly name: string;
  readonly take: TakeKind;
  readonly of: string;
  readonly isManual: boolean;
  readonly successPercent: string;
  readonly soakMinutes: string;
}

interface WindowForm {
  readonly days: readonly Day[];
  readonly from: string;
  readonly to: string;
}

export interface PlanForm {
  readonly name: string;
  readonly job: JobDraft;
  readonly selector: string;
  readonly waves: readonly WaveForm[];
  readonly stopFailures: string;
  readonly stopPercent: string;
  readonly concurrency: string;
  readonly window: WindowForm | null;
  readonly timeZone: string;
  readonly startsAt: string;
  /** What happens to devices that another open rollout has. */
  readonly held: 'skip' | 'wait';
  /** What the form has no fields for, of the rollout that it was filled with. */
  readonly others: Schema<'RolloutPolicyInput'>;
}

export type Change = (change: Partial<PlanForm>) => void;

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const wave = (given: Partial<WaveForm> = {}): WaveForm => ({
  name: '',
  take: 'rest',
  of: '',
  isManual: false,
  successPercent: '95',
  soakMinutes: '0',
  ...given,
});

/** What most rollouts want: one device, a tenth, the rest. */
export function emptyForm(given: Partial<PlanForm>): PlanForm {
  return {
    name: '',
    job: newJob('firmware'),
    selector: '',
    waves: [
      wave({ name: 'canary', take: 'count', of: '1' }),
      wave({ name: 'first tenth', take: 'percent', of: '10' }),
      wave({ name: 'rest' }),
    ],
    stopFailures: '',
    stopPercent: '10',
    concurrency: '50',
    window: null,
    timeZone: OWN_ZONE,
    startsAt: '',
    held: 'skip',
    others: {},
    ...given,
  };
}

export interface Request {
  readonly body: Schema<'CreateRollout'> | null;
  /** What has to be filled in first. */
  readonly missing: string | null;
}

/** The request of a form. @param artifacts among which the chosen image is */
export function requestOf(form: PlanForm, artifacts: readonly Schema<'Artifact'>[] = []): Request {
  if (form.selector.trim() === '') return { body: null, missing: 'Choose the devices, by clicks or as a selector.' };
  const wrong = wrongNumber(form);
  if (wrong !== null) return { body: null, missing: wrong };
  const { spec: given, problem } = readJob(form.job);
  if (given === null) return { body: null, missing: problem };
  const image = artifacts.find(({ id }) => id === given['artifactId']);
  // A link names an image without its digest. What is approved is exactly this image.
  const spec = image ? { sha256: image.sha256, ...given } : given;
  const startsAt = form.startsAt === '' ? {} : { startsAt: new Date(form.startsAt).toISOString() };
  const [kind, selector] = [form.job.kind, form.selector.trim()];
  return {
    missing: null,
    body: {
      name: form.name.trim() || suggestedName(form, image),
      kind,
      spec,
      selector,
      policy: policyOf(form),
      ...startsAt,
    },
  };
}

/** A name for a rollout without one. @param image its firmware, where it is a stored one */
export function suggestedName({ job }: PlanForm, image?: Schema<'Artifact'>): string {
  const act = actText(job.kind);
  if (job.kind !== 'firmware') return act;
  return `${act} to ${image ? (image.version ?? image.name) : 'the newest of the vendor'}`.slice(0, 80);
}

const PERCENT = { min: 0, max: 100 };
const SHARE = { min: 0.01, max: 100 };
const DEVICES = { min: 1, max: 100_000, isWhole: true };
const AT_ONCE = { min: 1, max: 10_000, isWhole: true };
const MINUTES = { min: 0, max: 20_160 };

/** The numbers of a form, by the names of their fields. */
export function numbersOf({ stopFailures, stopPercent, concurrency, waves }: PlanForm) {
  return {
    failures: readOptional(stopFailures, DEVICES),
    percent: readOptional(stopPercent, SHARE),
    concurrency: readNumber(concurrency, AT_ONCE),
    waves: waves.map(numbersOfWave),
  };
}

export const numbersOfWave = ({ take, of, successPercent, soakMinutes }: WaveForm) => ({
  of: take === 'count' ? readNumber(of, DEVICES) : take === 'percent' ? readNumber(of, SHARE) : null,
  successPercent: readNumber(successPercent, PERCENT),
  soakMinutes: readNumber(soakMinutes, MINUTES),
});

/** The first field whose text is no number, with the reason; null: there is none. */
function wrongNumber(form: PlanForm): string | null {
  const { waves, failures, percent, concurrency } = numbersOf(form);
  const ofWaves = waves.flatMap(({ of, successPercent, soakMinutes }, at) => [
    ...(of
      ? [[`Wave ${at + 1}, ${form.waves[at]?.take === 'count' ? 'number of devices' : 'percent of all'}`, of]]
      : []),
    [`Wave ${at + 1}, must succeed`, successPercent],
    [`Wave ${at + 1}, soak`, soakMinutes],
  ]);
  const ofAll = [
    ['Pause at failures', failures],
    ['Pause at failures, %', percent],
    ['At the same time', concurrency],
  ];
  return firstWrong(Object.fromEntries([...ofWaves, ...ofAll]) as Record<string, { wrong: string | null }>);
}

function policyOf(form: PlanForm): Schema<'RolloutPolicyInput'> {
  const numbers = numbersOf(form);
  const failures = numbers.failures.value ?? undefined;
  const percent = numbers.percent.value ?? undefined;
  const isEndless = failures === undefined && percent === undefined;
  const minimum = typeof form.others.stop === 'object' ? form.others.stop.minimum : undefined;
  return {
    ...form.others,
    waves: form.waves.map(waveOf),
    stop: isEndless
      ? 'never'
      : {
          ...(minimum === undefined ? {} : { minimum }),
          ...(failures === undefined ? {} : { failures }),
          ...(percent === undefined ? {} : { percent }),
        },
    concurrency: valueOf(numbers.concurrency),
    timeZone: form.timeZone,
    held: form.held,
    ...(form.window ? { windows: [{ ...form.window, days: [...form.window.days] }] } : {}),
  };
}

function waveOf(form: WaveForm): Schema<'WavePolicyInput'> {
  const { name, isManual } = form;
  const { of, successPercent, soakMinutes } = numbersOfWave(form);
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    take: takeOf(form, of),
    ...(isManual ? { gate: 'manual' as const } : {}),
    successPercent: valueOf(successPercent),
    soakMinutes: valueOf(soakMinutes),
  };
}

export function takeOf({ take, of }: WaveForm, number: TypedNumber | null): Schema<'WaveTake'> {
  if (take === 'count' && number) return { count: valueOf(number) };
  if (take === 'percent' && number) return { percent: valueOf(number) };
  if (take === 'tag') return { tag: of.trim() };
  if (take === 'site') return { site: of.trim() };
  return 'rest';
}

/** The value of a number that `wrongNumber` has accepted. */
function valueOf({ value, wrong }: TypedNumber): number {
  if (value === null) throw new Error(wrong);
  return value;
}
