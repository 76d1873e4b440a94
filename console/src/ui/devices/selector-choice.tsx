import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { unreadChoices } from '../../api/problems.js';
import { TextArea } from '../field.js';
import styles from './selector-choice.module.css';
import { KEYS } from '../../api/keys/query-keys.js';

interface SelectorChoiceProps {
  hint: string;
  value: string;
  onValue: (selector: string) => void;
}

/** A selector as text, with all devices and the saved selectors by one click. */
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
      <TextArea
        label="Selector"
        hint={hint}
        className="input selector-text"
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
      <Chips label="Devices by one click">
        {known.map(([selector, text]) => (
          <Chip key={selector} isOn={value.trim() === selector} onClick={() => onValue(selector)}>
            {text}
          </Chip>
        ))}
      </Chips>
      {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
    </div>
  );
}

interface ChipProps {
  isOn: boolean;
  title?: string;
  onClick: () => void;
  children: ReactNode;
}

/** A choice that fills in a field. */
export function Chip({ isOn, title, onClick, children }: ChipProps): ReactNode {
  return (
    <button type="button" className={styles['chip']} aria-pressed={isOn} title={title} onClick={onClick}>
      <span className="foreign cut">{children}</span>
    </button>
  );
}

/** Chips beside each other, on as many lines as they need. */
export function Chips({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className={styles['chips']} role="group" aria-label={label}>
      {children}
    </div>
  );
}
