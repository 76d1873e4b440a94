import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { unreadChoices } from '../../api/problems.js';
import { TextArea } from '../field.js';
import { Chip, Chips } from './chips.js';
import { DevicePicker } from './device-picker.js';
import styles from './selector-choice.module.css';
import { KEYS } from '../../api/keys/query-keys.js';

interface SelectorChoiceProps {
  hint: string;
  value: string;
  onValue: (selector: string) => void;
}

/** Devices by clicks: all, those of a saved selector, or by site, model, tag and firmware; below them the selector as text. */
export function SelectorChoice({ hint, value, onValue }: SelectorChoiceProps): ReactNode {
  const { data, error } = useQuery({
    queryKey: KEYS.selectors.all,
    queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
    staleTime: 60_000,
  });
  const known = [
    ['all', 'All devices'] as const,
    ...(data?.items ?? []).map(({ name }) => [`@${name}`, `@${name}`] as const),
  ];
  return (
    <div className={styles['choice']}>
      <h3>Devices</h3>
      <Chips label="Devices by one click">
        {known.map(([selector, text]) => (
          <Chip key={selector} isOn={value.trim() === selector} onClick={() => onValue(selector)}>
            {text}
          </Chip>
        ))}
      </Chips>
      <DevicePicker value={value} onValue={onValue} />
      <TextArea
        label="Selector"
        hint={hint}
        className="input selector-text"
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
      {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
    </div>
  );
}
