import { type ReactNode, useMemo } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { To, useSearchText } from '../../../ui/to.js';
import { useSettled } from '../../../ui/settled.js';
import css from '../device-configuration.module.css';
import { type Service } from '../services.js';
import { foundOptions, matchesOf, wordsOf } from './found-options.js';
import { useSections } from './sections.js';
import { wantedSearch } from './wanted.js';

/** More are found by another word. */
const SHOWN = 12;

interface FoundSettingsProps {
  readonly deviceId: string;
  readonly services: readonly Service[];
  /** What a person searches for. */
  readonly text: string;
}

/** The settings that a search finds, with their values: a click opens the form at the setting. One request reads the values when the typing pauses. */
export function FoundSettings({ deviceId, services, text }: FoundSettingsProps): ReactNode {
  const [search] = useSearchText();
  const matches = useMemo(() => matchesOf(services, wordsOf(text)), [services, text]);
  const paths = matches.map(({ service }) => service.path);
  const settled = useSettled(paths.join(' '));
  const isSettled = settled === paths.join(' ');
  const { data } = useSections(deviceId, isSettled ? paths : []);
  const found = foundOptions(matches, data);
  if (found.length === 0) return null;
  return (
    <ul className={css.found} aria-label="Found settings">
      {found.slice(0, SHOWN).map((one) => (
        <li key={`${one.path} ${one.section} ${one.option}`}>
          <To to="." search={{ ...search, ...wantedSearch(one) }}>
            {one.title}
            {one.value !== null && <span className="quiet foreign"> · {one.value}</span>}
          </To>
        </li>
      ))}
      {found.length > SHOWN && <li className="small quiet">and {numberText(found.length - SHOWN)} more: add a word</li>}
    </ul>
  );
}
