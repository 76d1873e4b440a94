import { selectorError } from '../../../api/problems.js';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useRef, useState } from 'react';
import { api, type ApiError } from '../../../api/client.js';
import { summaryQuery } from '../../../api/queries.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { fieldsQuery } from '../columns.js';
import { completions, type FleetValues } from '../completions.js';
import styles from './selector-input.module.css';
import { useTypedSelector } from './use-typed-selector.js';

/** The selector with completion. What cannot be read is marked at its place, and the list stays. @param refusal of the address */
export function SelectorInput({ refusal: ofAddress }: { refusal: ApiError | null }): ReactNode {
  const { text, setText, isTyped, refusal: ofTyped } = useTypedSelector();
  const refusal = isTyped ? ofTyped : ofAddress;
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const known = useKnown(isOpen);
  const choices = isOpen ? completions(text, known) : [];
  const at = Math.min(chosen ?? 0, choices.length - 1);
  const take = (choice: string) => {
    setText(choice);
    setChosen(null);
    input.current?.focus();
  };
  return (
    <div className={`field ${styles['field']}`}>
      <input
        ref={input}
        className="input mono"
        role="combobox"
        aria-label="Selector"
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-invalid={refusal ? true : undefined}
        aria-describedby={`${id}-wrong`}
        spellCheck={false}
        autoComplete="off"
        placeholder="tag:pump & site:vilnius/* & firmware<7.14"
        value={text}
        aria-activedescendant={choices.length > 0 && chosen !== null ? `${id}-${at}` : undefined}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          setTimeout(() => setOpen(false), 150);
          if (isTyped) setText(text, true);
        }}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(null);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          const isEnd = event.key === 'Enter' && (choices.length === 0 || chosen === null);
          if (isEnd && isTyped) setText(text, true);
          if (isEnd && refusal) input.current?.setSelectionRange(placeOf(refusal), text.length);
          if (choices.length === 0) return;
          if (event.key === 'ArrowDown') setChosen(chosen === null ? 0 : (at + 1) % choices.length);
          else if (event.key === 'ArrowUp') setChosen((at - 1 + choices.length) % choices.length);
          // Enter takes what the arrows have chosen; otherwise the text is complete as it is.
          else if (event.key === 'Enter' && chosen !== null) take(choices[at]?.text ?? text);
          else if (event.key === 'Enter') setOpen(false);
          else if (event.key === 'Tab' && !event.shiftKey && text !== '') take(choices[at]?.text ?? text);
          else if (event.key === 'Escape') return setOpen(false);
          else return;
          event.preventDefault();
        }}
      />
      {choices.length > 0 && (
        <ul className={styles['completions']} role="listbox" id={`${id}-list`} aria-label="Completions">
          {choices.map(({ text: whole, shown, about }, place) => (
            <li
              key={whole}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                take(whole);
              }}
            >
              <code className="cut foreign">{shown}</code>
              <span className="quiet small">{about}</span>
            </li>
          ))}
        </ul>
      )}
      <span id={`${id}-wrong`} className="wrong" role="status">
        {refusal && <Wrong text={text} refusal={refusal} />}
      </span>
    </div>
  );
}

/** What a selector can name in this fleet: its frequent values, whatever the list shows now. */
function useKnown(isOpen: boolean): FleetValues {
  const { data: summary } = useQuery({
    ...summaryQuery({ by: 'tag,site,model,firmware,operator' }),
    enabled: isOpen,
    staleTime: 60_000,
  });
  const { data: fields } = useQuery(fieldsQuery);
  const { data: saved } = useQuery({
    queryKey: KEYS.selectors.all,
    queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
    staleTime: 60_000,
  });
  const groups = summary?.groups ?? [];
  return {
    keys: fields?.items.map(({ key }) => key) ?? [],
    saved: saved?.items.map(({ name }) => name) ?? [],
    values: Object.fromEntries(groups.map(({ by, values }) => [by, values.flatMap(({ value }) => value || [])])),
  };
}

/** From 0; what the gateway gives no place is wrong from its start. */
const placeOf = ({ problem: { position } }: ApiError): number => (typeof position === 'number' ? position : 0);

/** Where the selector cannot be read, and what was expected there. */
function Wrong({ text, refusal }: { text: string; refusal: ApiError }): ReactNode {
  const { problem, detail, title } = refusal;
  if (typeof problem['position'] !== 'number') return detail ?? title;
  const place = placeOf(refusal);
  const end = place + (/^[\w.]+/.exec(text.slice(place))?.[0].length ?? text.length);
  return (
    <>
      <code className={styles['typed']}>
        {text.slice(0, place)}
        <mark>{text.slice(place, end)}</mark>
        {text.slice(end)}
      </code>
      {selectorError(refusal)}
    </>
  );
}
