import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { numbersOf, numbersOfWave, type PlanForm, type WaveForm } from '../plan-form.js';
import styles from '../rollouts.module.css';

/** The waves of the form in words: what a rollout does as it stands, before its devices are chosen. */
export function DefaultPlan({ form }: { form: PlanForm }): ReactNode {
  const { concurrency } = numbersOf(form);
  return (
    <>
      <p>As it stands, it goes through {countText(form.waves.length, 'wave')}, and you can stop it at each:</p>
      <ol className={styles['planWaves']} aria-label="Waves as they stand">
        {form.waves.map((wave, at) => (
          <li key={at}>
            <div className="row spread">
              <span className="foreign">{wave.name.trim() || `Wave ${at + 1}`}</span>
              <span>{takeText(wave)}</span>
            </div>
            <span className="small quiet">{gateText(wave, at === form.waves.length - 1)}</span>
          </li>
        ))}
      </ol>
      <p className="small quiet">
        {stopText(form)}
        {concurrency.value === null ? '' : ` At most ${countText(concurrency.value, 'device')} at the same time.`}
        {form.window ? ` Only between ${form.window.from} and ${form.window.to}.` : ' At any time of the day.'}
      </p>
    </>
  );
}

function takeText(wave: WaveForm): string {
  const number = numbersOfWave(wave).of?.value ?? null;
  if (wave.take === 'count' && number !== null) return countText(number, 'device');
  if (wave.take === 'percent' && number !== null) return `${number} % of them`;
  if (wave.take === 'tag') return `those tagged ${wave.of}`;
  if (wave.take === 'site') return `those of ${wave.of}`;
  return 'all others';
}

/** What has to be true before the next wave begins. */
function gateText(wave: WaveForm, isLast: boolean): string {
  const { successPercent, soakMinutes } = numbersOfWave(wave);
  const soak = soakMinutes.value ? `, for ${countText(soakMinutes.value, 'minute')}` : '';
  if (isLast) return `${successPercent.value ?? '–'} % must succeed`;
  const next = wave.isManual ? 'then it waits until you promote it' : 'then the next one begins';
  return `${successPercent.value ?? '–'} % must succeed${soak}; ${next}`;
}

function stopText(form: PlanForm): string {
  const { failures, percent } = numbersOf(form);
  const parts = [
    failures.value && countText(failures.value, 'failure'),
    percent.value && `${percent.value} % of failures`,
  ].filter(Boolean);
  return parts.length > 0 ? `It pauses by itself at ${parts.join(' or ')}.` : 'It never pauses by itself.';
}
