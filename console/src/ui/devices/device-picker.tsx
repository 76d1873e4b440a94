import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { modelText } from '../../api/device-texts.js';
import { summaryQuery } from '../../api/queries.js';
import { unreadChoices } from '../../api/problems.js';
import { Chip, Chips } from './chips.js';
import { type Pick, pickedTerms, picksOf, withPicked } from './picked-devices.js';
import styles from './selector-choice.module.css';

const FIELDS = [
  ['site', 'Site'],
  ['model', 'Model'],
  ['tag', 'Tag'],
  ['firmware', 'Firmware'],
] as const;

/** Choices of a field before the others are asked for. */
const SHOWN = 8;

/** Devices by clicks: sites, models, tags and firmware with their counts. Each click writes the selector. */
export function DevicePicker({ value, onValue }: { value: string; onValue: (selector: string) => void }): ReactNode {
  const { data, error } = useQuery(summaryQuery({ by: FIELDS.map(([by]) => by).join(',') }));
  if (error) return <p className="small quiet">{unreadChoices(error)}</p>;
  const picked = new Set(pickedTerms(value)?.flat());
  return (
    <div className={styles['picker']} aria-busy={!data}>
      {FIELDS.map(([by, title]) => {
        const picks = picksOf(by, data?.groups.find((group) => group.by === by)?.values ?? []);
        if (data && picks.length === 0) return null;
        return (
          <Line
            key={by}
            title={title}
            picks={picks}
            picked={picked}
            onPick={(term) => onValue(withPicked(value, term))}
          />
        );
      })}
    </div>
  );
}

interface LineProps {
  title: string;
  picks: readonly Pick[];
  picked: ReadonlySet<string>;
  onPick: (term: string) => void;
}

function Line({ title, picks, picked, onPick }: LineProps): ReactNode {
  const [isAll, setAll] = useState(false);
  const shown = picks.filter(({ term }, at) => isAll || at < SHOWN || picked.has(term));
  const hidden = picks.length - shown.length;
  return (
    <div>
      <span className="small quiet">{title}</span>
      <Chips label={`Devices by ${title.toLowerCase()}`}>
        {picks.length === 0 && <span className="awaited" />}
        {shown.map(({ text, term, devices }) => (
          <Chip key={term} isOn={picked.has(term)} title={term} onClick={() => onPick(term)}>
            {modelText(text)} <span className="quiet">{numberText(devices)}</span>
          </Chip>
        ))}
        {hidden > 0 && (
          <Chip isOn={false} onClick={() => setAll(true)}>
            {numberText(hidden)} more
          </Chip>
        )}
      </Chips>
    </div>
  );
}
