import { type ReactNode } from 'react';
import { type OutageStage, type ShownStage } from './outage-cause.js';
import styles from './outage.module.css';

const TITLES: Readonly<Record<OutageStage, string>> = {
  name: 'Name',
  tcp: 'TCP',
  tls: 'TLS',
  answer: 'Answer',
  login: 'Login',
};

const SIGNS = { passed: '✓', failed: '✕', skipped: '–' } as const;
const WORDS = { passed: 'passed', failed: 'failed here', skipped: 'not tried' } as const;

/** With a detail the stage has nothing to do here; without one an earlier stage has failed. */
const wordOf = ({ stage, outcome, detail }: ShownStage): string =>
  outcome === 'skipped' && detail !== null && stage !== 'login' ? 'not needed' : WORDS[outcome];

/** The way to a device, stage by stage. */
export function StageRow({ stages }: { stages: readonly ShownStage[] }): ReactNode {
  return (
    <ol className={styles['stages']} aria-label="Stages of the check">
      {stages.map((shown) => (
        <StageItem key={shown.stage} of={shown} />
      ))}
    </ol>
  );
}

function StageItem({ of: shown }: { of: ShownStage }): ReactNode {
  const { stage, outcome, ms, detail } = shown;
  return (
    <li data-outcome={outcome}>
      <span className="small quiet">{TITLES[stage]}</span>
      <strong>
        <i aria-hidden="true">{SIGNS[outcome]}</i>{' '}
        {outcome === 'passed' && ms !== null ? `${ms.toLocaleString('en')} ms` : wordOf(shown)}
      </strong>
      {detail && <span className="small quiet foreign">{detail}</span>}
      {outcome === 'failed' && ms !== null && <span className="small quiet">after {ms.toLocaleString('en')} ms</span>}
    </li>
  );
}
