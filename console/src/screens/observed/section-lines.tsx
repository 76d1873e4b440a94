import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import changes from '../../ui/rows/changes.module.css';
import { sectionsQuery } from './observed-queries.js';
import { sectionNoun, serviceName } from './path-words.js';
import { optionsText, sectionName } from './value-words.js';

const SHOWN = 4;

/** What a body has: a line for each section with its first values. */
export function SectionLines({ path, digest }: { path: string; digest: string }): ReactNode {
  const { data, error } = useQuery(sectionsQuery(path, digest));
  if (error) return <span className="quiet">{digest.slice(0, 8)}</span>;
  if (!data) return <span className="quiet">…</span>;
  if (data.length === 0) return <span className="quiet">nothing is set here</span>;
  const more = data.length - SHOWN;
  return (
    <ul className={changes['changes']}>
      {data.slice(0, SHOWN).map(({ section, options }) => {
        const name = sectionName(section, options);
        return (
          <li key={section}>
            <span className="quiet foreign">{sectionNoun(serviceName(path), name)}</span>{' '}
            <span className="foreign">{optionsText(serviceName(path), options, name)}</span>
          </li>
        );
      })}
      {more > 0 && <li className="quiet">and {countText(more, 'further section')}</li>}
    </ul>
  );
}
