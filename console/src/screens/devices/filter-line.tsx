import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useRef, useState } from 'react';
import { api, type ApiError } from '../../api/client.js';
import { summaryQuery } from '../../api/queries.js';
import { useAddressText } from '../../ui/to.js';
import { ColumnChoice } from './column-choice.js';
import { completions, type FleetValues } from './completions.js';
import { fieldsQuery } from './columns.js';

/** Another list is shown from its first row. */
const FROM_TOP = { row: undefined };

/** The search, the selector with completion and its error in place, and the columns. */
export function FilterLine({ refusal }: { refusal: ApiError | null }): ReactNode {
  const [q, setQ] = useAddressText('q', FROM_TOP);
  return (
    <div className="filter-line">
      <input
        className="input"
        type="search"
        aria-label="Search devices"
        placeholder="Search name, serial number, MAC, site …"
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <SelectorInput refusal={refusal} />
      <ColumnChoice />
    </div>
  );
}

function SelectorInput({ refusal }: { refusal: ApiError | null }): ReactNode {
  const [text, setText] = useAddressText('selector', FROM_TOP);
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
    <div className="field selector-field">
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
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(null);
          setOpen(true);
        }}
        onKeyDown={(event) => {
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
        <ul className="completions" role="listbox" id={`${id}-list`} aria-label="Completions">
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
        {refusal ? wrongText(refusal) : ''}
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
    queryKey: ['selectors'],
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

/** Where the selector cannot be read, and what was expected there. */
function wrongText({ problem, detail, title }: ApiError): string {
  const { position, expected } = problem;
  if (typeof position !== 'number') return detail ?? title;
  return `At character ${position + 1}: ${typeof expected === 'string' ? `expected ${expected}` : title}.`;
}
