import { type Schema } from '../../api/client.js';

/* The form of a new rollout as texts, and the request that it makes. */

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

function policyOf(form: PlanForm): Schema<'RolloutPolicyInput'> {
  const failures = Number(form.stopFailures);
  const percent = Number(form.stopPercent);
  return {
    waves: form.waves.map(waveOf),
    stop: { ...(failures > 0 ? { failures } : {}), ...(percent > 0 ? { percent } : {}) },
    concurrency: Number(form.concurrency) || 50,
    timeZone: form.timeZone,
    held: form.held,
    ...(form.window ? { windows: [{ ...form.window, days: [...form.window.days] }] } : {}),
  };
}

function waveOf({ name, take, of, isManual, successPercent, soakMinutes }: WaveForm): Schema<'WavePolicyInput'> {
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    take: takeOf(take, of.trim()),
    ...(isManual ? { gate: 'manual' as const } : {}),
    successPercent: Number(successPercent),
    soakMinutes: Number(soakMinutes),
  };
}

function takeOf(take: TakeKind, of: string): Schema<'WaveTake'> {
  if (take === 'count') return { count: Number(of) };
  if (take === 'percent') return { percent: Number(of) };
  if (take === 'tag') return { tag: of };
  if (take === 'site') return { site: of };
  return 'rest';
}
