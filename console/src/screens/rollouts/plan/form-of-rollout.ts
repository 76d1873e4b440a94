import { type components } from '../../../../../src/api-client/openapi.js';
import { type PlanForm, type WaveForm, wave } from '../plan-form.js';

type Schemas = components['schemas'];

/** The form of a rollout that exists: its name, waves, thresholds and window. What the form has no fields for goes with it. */
export function formOfRollout({ name, policy }: Pick<Schemas['Rollout'], 'name' | 'policy'>): Partial<PlanForm> {
  const { waves, stop, concurrency, timeZone, held, windows, ...others } = policy;
  const [window] = windows;
  const isOne = windows.length === 1 && window !== undefined && window.except.length === 0;
  return {
    name,
    waves: waves.map(waveOf),
    stopFailures: stop === 'never' ? '' : textOf(stop.failures),
    stopPercent: stop === 'never' ? '' : textOf(stop.percent),
    concurrency: String(concurrency),
    timeZone,
    held,
    window: isOne ? { days: window.days, from: window.from, to: window.to } : null,
    others: { ...others, stop, ...(windows.length > 0 && !isOne ? { windows } : {}) },
  };
}

const textOf = (number: number | undefined): string => (number === undefined ? '' : String(number));

const waveOf = ({ name, take, gate, successPercent, soakMinutes }: Schemas['WavePolicy']): WaveForm =>
  wave({
    name: name ?? '',
    ...takenBy(take),
    isManual: gate === 'manual',
    successPercent: String(successPercent),
    soakMinutes: String(soakMinutes),
  });

function takenBy(take: Schemas['WaveTake']): Pick<WaveForm, 'take' | 'of'> {
  if (take === 'rest') return { take, of: '' };
  if ('count' in take) return { take: 'count', of: String(take.count) };
  if ('percent' in take) return { take: 'percent', of: String(take.percent) };
  return 'tag' in take ? { take: 'tag', of: take.tag } : { take: 'site', of: take.site };
}
