import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { useDeviceName } from '../../../api/names/device-names.js';
import { modelText } from '../../../api/device-texts.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { summaryQuery } from '../../../api/queries.js';
import { unreadChoices } from '../../../api/problems.js';
import { useSettled } from '../../settled.js';
import { Chip, Chips } from '../chips.js';
import { idOf, isSameTerm, nameTerm, type Pick, type PickField, picksOf, termText } from './picked-devices.js';

/** Choices of a field before the others are asked for. */
const SHOWN = 24;

/** Found names: more of them are not read, they are typed further. */
const FOUND = 12;

/** While a person types a name, the pauses are longer than this. */
const SEARCH_AFTER_MS = 200;

interface GroupProps {
  /** The terms that are chosen. */
  picked: readonly string[];
  onPick: (term: string) => void;
}

/** The values of a field with the devices that have them; a click takes one, or takes it out. */
export function GroupPanel({ by, ...rest }: GroupProps & { by: Exclude<PickField, 'name'> }): ReactNode {
  const { data, error } = useQuery(summaryQuery({ by }));
  if (error) return <p className="small quiet">{unreadChoices(error)}</p>;
  // The answer of another group stays until this one's comes.
  const group = data?.groups.find((one) => one.by === by);
  if (!group) return <span className="awaited" aria-busy="true" />;
  const picks = picksOf(by, group.values);
  if (picks.length === 0 && rest.picked.length === 0)
    return (
      <p className="small quiet">
        {by === 'firmware' ? 'No device has an older firmware than the others.' : `No device has a ${by}.`}
      </p>
    );
  return <Picks label={`Devices by ${by}`} picks={picks} {...rest} />;
}

function Picks({ label, picks, picked, onPick }: GroupProps & { label: string; picks: readonly Pick[] }): ReactNode {
  const [isAll, setAll] = useState(false);
  const isOn = (term: string) => picked.some((one) => isSameTerm(one, term));
  const others = picked.filter((term) => !picks.some((pick) => isSameTerm(pick.term, term)));
  const shown = picks.filter(({ term }, at) => isAll || at < SHOWN || isOn(term));
  return (
    <Chips label={label}>
      {others.map((term) => (
        <Chip key={term} isOn title={term} onClick={() => onPick(term)}>
          <TermText term={term} />
        </Chip>
      ))}
      {shown.map(({ text, term, devices }) => (
        <Chip key={term} isOn={isOn(term)} title={term} onClick={() => onPick(term)}>
          {modelText(text)} <span className="quiet">{numberText(devices)}</span>
        </Chip>
      ))}
      {picks.length > shown.length && (
        <Chip isOn={false} onClick={() => setAll(true)}>
          {numberText(picks.length - shown.length)} more
        </Chip>
      )}
    </Chips>
  );
}

const namedQuery = (asked: string) =>
  queryOptions({
    queryKey: KEYS.devices.named(asked),
    queryFn: ({ signal }) =>
      api.get('/v1/devices', {
        params: { query: { ...(asked ? { q: asked } : {}), limit: FOUND, fields: 'name', sort: 'name' } },
        signal,
      }),
  });

/** Single devices: a part of a name, a serial number or an address finds them. */
export function NamePanel({ picked, onPick }: GroupProps): ReactNode {
  const [typed, setTyped] = useState('');
  const asked = useSettled(typed.trim(), SEARCH_AFTER_MS);
  const client = useQueryClient();
  const { data, error } = useQuery({ ...namedQuery(asked), placeholderData: keepPreviousData });
  const isOn = (name: string) => picked.some((one) => isSameTerm(one, nameTerm(name)));
  const found = data?.items.flatMap(({ name }) => name ?? []) ?? [];
  const take = (name: string) => {
    onPick(nameTerm(name));
    setTyped('');
  };
  /** What is typed may not have been searched for yet. */
  const takeFirst = async () => {
    const text = typed.trim().toLowerCase();
    if (text === '') return;
    const { items } = await client.fetchQuery(namedQuery(typed.trim()));
    const names = items.flatMap(({ name }) => name ?? []);
    const first = names.find((name) => name.toLowerCase() === text) ?? names[0];
    if (first && !isOn(first)) take(first);
  };
  return (
    <>
      <input
        type="search"
        className="input"
        aria-label="Name of a device"
        placeholder="A part of its name, or its serial number"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault(); // it would send the form
          takeFirst().catch(() => undefined); // the list says what went wrong
        }}
      />
      {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
      <Chips label="Devices by name">
        {picked.slice(0, SHOWN).map((term) => (
          <Chip key={term} isOn title={term} onClick={() => onPick(term)}>
            <TermText term={term} />
          </Chip>
        ))}
        {found
          .filter((name) => !isOn(name))
          .map((name) => (
            <Chip key={name} isOn={false} onClick={() => take(name)}>
              {name}
            </Chip>
          ))}
        {data && found.length === 0 && <span className="small quiet">No device has that in its name.</span>}
      </Chips>
    </>
  );
}

/** A chosen term as people call it; a device by its name. */
export function TermText({ term }: { term: string }): ReactNode {
  const id = idOf(term);
  return id === null ? modelText(termText(term)) : <NameOf id={id} />;
}

const NameOf = ({ id }: { id: string }): ReactNode => useDeviceName(id) ?? id;
