import { type ReactNode } from 'react';
import { SelectField, TextField } from '../../ui/field.js';
import { type Field, type Spec, typedNumber } from './fields.js';
import { OperationField, TemplateField } from './known-choices.js';

/** What a field of the form shows, and what takes what is typed. */
export interface ValueProps {
  value: unknown;
  set: (value: unknown) => void;
  wrong: string | null;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

type SmallField = Field & { is: 'text' | 'number' | 'number-choice' | 'choice' | 'words' };

/** A field that fits into a column. */
export function SmallField({
  field,
  spec,
  value,
  set,
  wrong,
}: ValueProps & { field: SmallField; spec: Spec }): ReactNode {
  const common = { label: field.label, hint: field.hint, wrong };
  switch (field.is) {
    case 'number':
      return (
        <TextField
          {...common}
          inputMode="numeric"
          placeholder={field.preset === undefined ? undefined : String(field.preset)}
          value={value === null ? field.none : textOf(value)}
          onChange={(event) => set(event.target.value === '' ? undefined : typedNumber(event.target.value, field))}
        />
      );
    case 'number-choice':
      return (
        <SelectField
          {...common}
          value={textOf(value ?? field.preset)}
          options={field.options.map((one) => [String(one), String(one)])}
          onChange={(event) => set(Number(event.target.value))}
        />
      );
    case 'choice':
      return (
        <SelectField
          {...common}
          value={textOf(value ?? field.preset)}
          options={field.options}
          onChange={(event) => set(event.target.value)}
        />
      );
    case 'words':
      return (
        <TextField
          {...common}
          value={Array.isArray(value) ? value.join(', ') : ''}
          onChange={(event) => set(wordsOf(event.target.value))}
          onBlur={() => Array.isArray(value) && set(value.filter(Boolean))}
        />
      );
    default:
      if (field.from === 'templates')
        return <TemplateField {...common} example={field.example} value={textOf(value)} set={set} />;
      if (field.from)
        return (
          <OperationField
            {...common}
            from={field.from}
            example={field.example}
            value={textOf(value)}
            set={set}
            spec={spec}
          />
        );
      return (
        <TextField
          {...common}
          placeholder={field.example}
          spellCheck={false}
          autoComplete="off"
          value={textOf(value)}
          onChange={(event) => set(event.target.value)}
        />
      );
  }
}

/** A comma that was just typed stays, so that another word can follow it. */
const wordsOf = (text: string): readonly string[] | undefined =>
  text === '' ? undefined : text.split(',').map((word) => word.trimStart());
