import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { driftGroups } from './drift-groups.js';
import { differenceWords } from './item-words.js';
import { spellingsQuery } from './template-queries.js';
import styles from './templates.module.css';

const SHOWN = 10;

/** What devices write in their own way: equal in meaning, so nothing is changed. Without any, nothing is shown. */
export function Spellings({ template: { name } }: { template: Schema<'Template'> }): ReactNode {
  const { data } = useQuery(spellingsQuery(name));
  const groups = driftGroups(data?.rows ?? [], ({ is }) => is === 'normalised');
  if (groups.length === 0) return null;
  return (
    <details className="card">
      <summary>{countText(groups.length, 'value')} in another spelling, left as they are</summary>
      <ul className={styles['lines']}>
        {groups.slice(0, SHOWN).map(({ id, difference, devices }) => {
          const { what, seen, wanted } = differenceWords(difference);
          return (
            <li key={id}>
              <span className="foreign">{what}</span>: {countText(devices.length, 'device')} write{' '}
              <strong className="foreign">{seen}</strong> for <span className="foreign">{wanted}</span>.
            </li>
          );
        })}
      </ul>
    </details>
  );
}
