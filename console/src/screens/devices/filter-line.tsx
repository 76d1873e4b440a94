import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { api, type ApiError } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import { COLUMNS, shownColumns } from './columns.js';
import { completions } from './completions.js';

/** Typing does not wait for the address, nor for the list. */
const WRITE_AFTER_MS = 150;

/** The search, the selector with completion and its error in place, and the columns. */
export function FilterLine({ refusal }: { refusal: ApiError | null }): ReactNode {
  const [q, setQ] = useAddressText('q');
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
      <Columns />
    </div>
  );
}

/** A text of the address that is typed. */
function useAddressText(name: string): [string, (text: string) => void] {
  const [search, change] = useSearchText();
  const inAddress = search[name] ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? inAddress;
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => {
      change({ [name]: typed === '' ? undefined : typed });
      setTyped(null);
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed, name, change]);
  return [text, setTyped];
}

function SelectorInput({ refusal }: { refusal: ApiError | null }): ReactNode {
  const [text, setText] = useAddressText('selector');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const { data: fields } = useQuery({
    queryKey: ['fields'],
    queryFn: ({ signal }) => api.get('/v1/fields', { signal }),
    staleTime: 60_000,
  });
  const { data: saved } = useQuery({
    queryKey: ['selectors'],
    queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
    staleTime: 60_000,
  });
  const choices = isOpen
    ? completions(text, fields?.items.map(({ key }) => key) ?? [], saved?.items.map(({ name }) => name) ?? [])
    : [];
  const take = (choice: string) => {
    setText(choice);
    setAt(0);
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
        aria-activedescendant={choices.length > 0 ? `${id}-${at}` : undefined}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (choices.length === 0) return;
          if (event.key === 'ArrowDown') setAt((at + 1) % choices.length);
          else if (event.key === 'ArrowUp') setAt((at - 1 + choices.length) % choices.length);
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
              aria-selected={place === at}
              onMouseDown={(event) => {
                event.preventDefault();
                take(whole);
              }}
            >
              <code>{shown}</code>
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

/** Where the selector cannot be read, and what was expected there. */
function wrongText({ problem, detail, title }: ApiError): string {
  const { position, expected } = problem;
  if (typeof position !== 'number') return detail ?? title;
  return `At character ${position + 1}: ${typeof expected === 'string' ? `${expected} was expected` : title}.`;
}

function Columns(): ReactNode {
  const [{ columns, density }, change] = useSearchText();
  const shown = shownColumns(columns).map(({ name }) => name);
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name];
    change({ columns: next.join(',') || undefined });
  };
  const toFront = (name: string) => change({ columns: [name, ...shown.filter((one) => one !== name)].join(',') });
  return (
    <>
      <Button icon="columns" popoverTarget="device-columns">
        Columns
      </Button>
      <div id="device-columns" popover="auto" className="popover column-choice" role="group" aria-label="Columns">
        {COLUMNS.map(({ name, title }) => (
          <div key={name} className="row spread">
            <CheckField label={title} checked={shown.includes(name)} onChange={() => toggle(name)} />
            {shown.includes(name) && shown[0] !== name && (
              <Button kind="quiet" aria-label={`Put ${title} first`} onClick={() => toFront(name)}>
                First
              </Button>
            )}
          </div>
        ))}
        <CheckField
          label="Compact rows"
          checked={density === 'compact'}
          onChange={() => change({ density: density === 'compact' ? undefined : 'compact' })}
        />
      </div>
    </>
  );
}
