import { type components } from '../../../../src/api-client/api-client.js';
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
  readonly kind: string;
  readonly selector: string;
  readonly artifactId: string;
  /** Parameters as JSON, for kinds without fields of their own. */
  readonly spec: string;
  readonly keepSettings: boolean;
  readonly allowDowngrade: boolean;
  readonly withoutBackup: boolean;
  readonly waves: readonly WaveForm[];
  readonly stopFailures: string;
  readonly stopPercent: string;
  readonly concurrency: string;
  readonly window: WindowForm | null;
  readonly timeZone: string;
  readonly startsAt: string;
  /** What happens to devices that another open rollout has. */
  readonly held: 'skip' | 'wait';
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
    kind: 'firmware',
    selector: '',
    artifactId: '',
    spec: '',
    keepSettings: true,
    allowDowngrade: false,
    withoutBackup: false,
    waves: [
      wave({ name: 'canary', take: 'count', of: '1' }),
      wave({ name: 'first tenth', take: 'percent', of: '10' }),
      wave({ name: 'rest' }),
    ],
    stopFailures: '',
    stopPercent: '10',
    concurrency: '50',
    window: null,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    startsAt: '',
    held: 'skip',
    ...given,
  };
}

export interface Request {
  readonly body: Schema<'CreateRollout'> | null;
  /** What has to be filled in first. */
  readonly missing: string | null;
}

/** The request of a form. @param artifact the chosen one */
export function requestOf(form: PlanForm, artifact: Schema<'Artifact'> | undefined): Request {
  if (form.selector.trim() === '') return { body: null, missing: 'Choose the devices: write a selector.' };
  const wrong = wrongNumber(form);
  if (wrong !== null) return { body: null, missing: wrong };
  const spec = specOf(form, artifact);
  if (typeof spec === 'string') return { body: null, missing: spec };
  const name = form.name.trim() || suggestedName(form, artifact);
  const startsAt = form.startsAt === '' ? {} : { startsAt: new Date(form.startsAt).toISOString() };
  return {
    missing: null,
    body: { name, kind: form.kind, spec, selector: form.selector.trim(), policy: policyOf(form), ...startsAt },
  };
}

export const suggestedName = ({ kind }: PlanForm, artifact: Schema<'Artifact'> | undefined): string =>
  kind === 'firmware' && artifact ? `firmware ${artifact.version ?? artifact.name}`.slice(0, 80) : kind;

function specOf(form: PlanForm, artifact: Schema<'Artifact'> | undefined): Record<string, unknown> | string {
  if (form.kind !== 'firmware') return readSpec(form.spec);
  if (!artifact) return 'Choose the firmware.';
  return {
    artifactId: artifact.id,
    sha256: artifact.sha256,
    ...(form.keepSettings ? {} : { keepSettings: false }),
    ...(form.allowDowngrade ? { allowDowngrade: true } : {}),
    ...(form.withoutBackup ? { backup: 'skip' } : {}),
  };
}

function readSpec(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    /* said below */
  }
  return 'The parameters must be a JSON object.';
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
  return {
    waves: form.waves.map(waveOf),
    stop: isEndless
      ? 'never'
      : { ...(failures === undefined ? {} : { failures }), ...(percent === undefined ? {} : { percent }) },
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

function takeOf({ take, of }: WaveForm, number: TypedNumber | null): Schema<'WaveTake'> {
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
