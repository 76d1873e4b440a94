import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { tell } from '../../api/problems.js';
import { selfQuery } from '../../api/queries.js';
import { Dialog } from '../../ui/dialog.js';
import { ownPath } from '../../api/own-path.js';
import { useGo } from '../../ui/to.js';
import { rememberRecent } from './recents.js';
import { type Choice, type Section } from './choice.js';
import { useSections } from './use-choices.js';
import css from './palette.module.css';

/** Opens devices, sites, rollouts, schedules, rules, templates, people, screens and actions by name: arrows choose, Enter opens. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const { sections, error } = useSections(text);
  const choices = sections.flatMap((section) => section.choices);
  const at = Math.min(chosen, choices.length - 1);
  const open = useOpen(onClose);
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && choices.length > 0) {
      const next = (at + step + choices.length) % choices.length;
      setChosen(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') open(choices[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" size="top" onClose={onClose}>
      <div className="dialog-body">
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-label="Device, screen or action"
          autoFocus
          aria-activedescendant={choices[at] ? `${list}-${at}` : undefined}
          placeholder="Device, site, rollout, schedule, rule, person, screen or action"
          value={text}
          onKeyDown={pressed}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
        />
        <Results id={list} sections={sections} chosen={at} onOpen={open} />
        {error ? (
          <p className="quiet" role="status">
            Devices cannot be searched: {tell(error).title}.
          </p>
        ) : (
          choices.length === 0 && (
            <p className="quiet" role="status">
              Nothing has this name.
            </p>
          )
        )}
        <DocumentSearch text={text.trim()} />
        <p className="small quiet">
          <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>&gt;</kbd> before a word finds actions alone
        </p>
      </div>
    </Dialog>
  );
}

/** Leads out of the console, so it is none of the choices: Enter would open it while devices are still searched. */
function DocumentSearch({ text }: { text: string }): ReactNode {
  if (text === '' || text.startsWith('>')) return null;
  const address = ownPath(`/docs/search?${new URLSearchParams({ q: text.slice(0, 100) }).toString()}`);
  return (
    <p>
      <a href={address} target="_blank" rel="noreferrer" className="foreign">
        Search the documents for “{text}”
      </a>
    </p>
  );
}

/** Opens a choice, and remembers an address. */
function useOpen(onClose: () => void): (choice: Choice | undefined) => void {
  const go = useGo();
  const { data: self } = useQuery(selfQuery);
  return (choice) => {
    if (!choice) return;
    onClose();
    const { title, to: target } = choice;
    if (typeof target === 'function') return target();
    const isAct = target.includes('?act='); // it is the device that was opened
    if (self && choice.score > 0 && !isAct) rememberRecent(self.operatorId, { title, to: target });
    const [to = '/', query] = target.split('?');
    go(to, Object.fromEntries(new URLSearchParams(query)));
  };
}

interface ResultsProps {
  id: string;
  sections: readonly Section[];
  /** The place of the chosen one among all. */
  chosen: number;
  onOpen: (choice: Choice) => void;
}

function Results({ id, sections, chosen, onOpen }: ResultsProps): ReactNode {
  const starts = sections.map((_, at) => sections.slice(0, at).reduce((sum, { choices }) => sum + choices.length, 0));
  return (
    <div id={id} role="listbox" aria-label="Results" className={css.results}>
      {sections.map(({ title, choices }, section) => (
        <ul key={title} role="group" aria-label={title}>
          <li role="presentation" className={css.title}>
            {title}
          </li>
          {choices.map((choice, place) => {
            const at = starts[section]! + place;
            return (
              <li
                key={choice.id}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === chosen}
                className={css.choice}
                onClick={() => onOpen(choice)}
              >
                <span className={css.what}>
                  <span className="cut foreign">{choice.title}</span>
                  {choice.about && <span className="small quiet cut foreign">{choice.about}</span>}
                </span>
                {choice.beside}
              </li>
            );
          })}
        </ul>
      ))}
    </div>
  );
}
