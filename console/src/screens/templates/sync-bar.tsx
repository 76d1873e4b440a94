import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { Mark } from '../../ui/mark.js';
import { To } from '../../ui/to.js';
import { countOf, SYNC_STATES, SYNC_WORDS, type Sync, syncSentence, type SyncState } from './sync-words.js';
import styles from './templates.module.css';

interface SyncBarProps {
  readonly sync: Sync;
  /** Of which template: then each state leads to its devices. */
  readonly template?: string;
}

/** How many devices are in which state: a bar, and each part of it by its mark and its word. */
export function SyncBar({ sync, template }: SyncBarProps): ReactNode {
  const all = countOf(sync);
  const present = SYNC_STATES.filter((state) => (sync[state] ?? 0) > 0);
  return (
    <div className={styles['sync']}>
      <div className={`bar ${styles['syncBar']}`} role="img" aria-label={syncSentence(sync)}>
        {present.map((state) => (
          <i key={state} data-state={state} style={{ width: `${(100 * sync[state]!) / all}%` }} />
        ))}
      </div>
      <ul className={styles['legend']}>
        {present.map((state) => {
          const [tone, text, about] = SYNC_WORDS[state];
          const words = `${numberText(sync[state]!)} ${text.toLowerCase()}`;
          return (
            <li key={state} title={about}>
              <i data-state={state} aria-hidden="true" />
              {template === undefined ? (
                <span className="small">{words}</span>
              ) : (
                <Mark tone={tone}>
                  <To to={`/templates/${template}`} search={{ sync: state }}>
                    {words}
                  </To>
                </Mark>
              )}
            </li>
          );
        })}
        {all === 0 && <li className="small quiet">no device is compared so far</li>}
      </ul>
    </div>
  );
}

/** What the states mean that a person closes, one sentence each; without any, nothing. */
export function StateMeanings({ of }: { of: readonly SyncState[] }): ReactNode {
  if (of.length === 0) return null;
  return (
    <ul className={`small quiet ${styles['meanings']}`}>
      {of.map((state) => (
        <li key={state}>
          <strong>{SYNC_WORDS[state][1]}</strong>: {lowerFirst(SYNC_WORDS[state][2])}.
        </li>
      ))}
    </ul>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
