import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { fieldsQuery } from '../devices/columns.js';

type Value = Schema<'Device'>['fields'][string];

/** New values by key; null removes one. */
export type FieldChanges = Readonly<Record<string, Value | null>>;

interface CustomFieldsProps {
  device: Schema<'Device'>;
  changes: FieldChanges;
  onChange: (changes: FieldChanges) => void;
}

/** A control for each custom field that administrators have defined. */
export function CustomFields({ device, changes, onChange }: CustomFieldsProps): ReactNode {
  const { data, error } = useQuery(fieldsQuery);
  if (error) return <Failure error={error} />;
  return data?.items.map((field) => {
    const first = device.fields[field.key];
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
  const named = { label: key, hint: description || undefined, value: shown };
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
  return (
    <TextField
      {...named}
      type={type}
      {...(type === 'number' ? { step: 'any' } : {})}
      onChange={({ target: { value: text } }) => onValue(text === '' ? null : type === 'number' ? Number(text) : text)}
    />
  );
}
