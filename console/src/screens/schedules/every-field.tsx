import { type ReactNode } from 'react';
import { SelectField } from '../../ui/field.js';
import { rhythmWords } from './rhythm.js';

/** In seconds. Up to 240 a session outlives the pause; between 240 and 900 nearly each pass would be a login. */
const USUAL = [60, 120, 240, 900, 1_800, 3_600, 21_600, 86_400] as const;

interface EveryFieldProps {
  label: string;
  hint: string;
  /** In seconds; one that is not usual was set by the API, and stays. */
  value: number;
  onValue: (seconds: number) => void;
  wrong?: string | null | undefined;
}

/** How often something is read. */
export function EveryField({ label, hint, value, onValue, wrong }: EveryFieldProps): ReactNode {
  const choices = [...new Set([...USUAL, value])].toSorted((a, b) => a - b);
  return (
    <SelectField
      label={label}
      hint={hint}
      wrong={wrong}
      value={String(value)}
      options={choices.map((seconds) => [String(seconds), rhythmWords({ everySeconds: seconds })])}
      onChange={(event) => onValue(Number(event.target.value))}
    />
  );
}
