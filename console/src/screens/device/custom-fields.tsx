import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { fieldText } from '../../api/device-texts.js';
import { readOptional } from '../../api/number-text.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { fieldsQuery } from '../devices/columns.js';
import { type FieldChanges } from './device-change.js';

type Value = Schema<'Device'>['fields'][string];

interface CustomFieldsProps {
  /** What the device has now, by key. */
  values: Readonly<Record<string, Value>>;
  changes: FieldChanges;
  onChange: (changes: FieldChanges) => void;
}

/** A control for each custom field that administrators have defined. */
export function CustomFields({ values, changes, onChange }: CustomFieldsProps): ReactNode {
  const { data, error } = useQuery(fieldsQuery);
  if (error) return <Failure error={error} />;
  return data?.items.map((field) => {
    const first = values[field.key];
    const value = field.key in changes ? changes[field.key] : first;
    const change = (next: Value | null) => {
      const { [field.key]: _, ...rest } = changes;
      onChange(next === (first ?? null) ? rest : { ...rest, [field.key]: next });
    };
    return <CustomField key={field.key} field={field} value={value ?? null} onValue={change} />;
  });
}

interface CustomFieldProps {
  field: Schema<'DeviceField'>;
  value: Value | null;
  onValue: (value: Value | null) => void;
}

function CustomField({ field: { key, type, choices, description }, value, onValue }: CustomFieldProps): ReactNode {
  const shown = value === null ? '' : String(value);
  const named = { label: fieldText(key), hint: description || undefined, value: shown };
  if (type === 'boolean' || type === 'choice') {
    const options = (type === 'boolean' ? ['true', 'false'] : choices).map((one) => [one, one] as const);
    return (
      <SelectField
        {...named}
        options={[['', 'Not set'], ...options]}
        onChange={({ target: { value: text } }) =>
          onValue(text === '' ? null : type === 'boolean' ? text === 'true' : text)
        }
      />
    );
  }
  if (type === 'number')
    return <NumberField label={fieldText(key)} hint={named.hint} first={shown} onValue={onValue} />;
  return (
    <TextField {...named} type={type} onChange={({ target: { value: text } }) => onValue(text === '' ? null : text)} />
  );
}

const NUMBERS = { min: -1e12, max: 1e12 };

interface NumberFieldProps {
  label: string;
  hint: string | undefined;
  first: string;
  onValue: (value: Value | null) => void;
}

/** The number field of the browser has no text for what is no number, as if it were empty: the value would be removed. */
function NumberField({ label, hint, first, onValue }: NumberFieldProps): ReactNode {
  const [text, setText] = useState(first);
  const { wrong } = text === first ? { wrong: null } : readOptional(text, NUMBERS);
  const typed = (next: string) => {
    setText(next);
    const { value } = readOptional(next, NUMBERS);
    onValue(value === undefined ? null : (value ?? Number.NaN));
  };
  return (
    <TextField
      label={label}
      hint={hint}
      wrong={wrong}
      inputMode="decimal"
      value={text}
      onChange={({ target }) => typed(target.value)}
    />
  );
}
