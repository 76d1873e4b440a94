import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { numbersOf, numbersOfWave, type PlanForm, takeOf, type WaveForm } from '../plan-form.js';
import { gateText, stopText, takeText } from './policy-words.js';
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
              <span>{taken(wave)}</span>
            </div>
            <span className="small quiet">{gateOf(wave)}</span>
          </li>
        ))}
      </ol>
      <p className="small quiet">
        {pauseText(form)}
        {concurrency.value === null ? '' : ` At most ${countText(concurrency.value, 'device')} at the same time.`}
        {form.window ? ` Only between ${form.window.from} and ${form.window.to}.` : ' At any time of the day.'}
      </p>
    </>
  );
}

/** What it takes, as far as its number can be read. */
function taken(wave: WaveForm): string {
  const { of } = numbersOfWave(wave);
  return of?.wrong ? '–' : takeText(takeOf(wave, of));
}

function gateOf(wave: WaveForm): string {
  const { successPercent, soakMinutes } = numbersOfWave(wave);
  const rule = gateText(successPercent.value ?? 0, soakMinutes.value ?? 0);
  return wave.isManual ? `${rule}; starts when a person promotes it` : rule;
}

function pauseText(form: PlanForm): string {
  const { failures, percent } = numbersOf(form);
  const [most, share] = [failures.value ?? undefined, percent.value ?? undefined];
  if (most === undefined && share === undefined) return 'It never pauses by itself.';
  return `It pauses by itself ${stopText({
    ...(most === undefined ? {} : { failures: most }),
    ...(share === undefined ? {} : { percent: share }),
  })}.`;
}
