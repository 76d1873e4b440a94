import { type ReactNode } from 'react';
import { SelectField, TextArea, TextField } from '../../ui/field.js';
import { type FormOption, isMarker } from './section-values.js';

interface OptionFieldProps {
  option: FormOption;
  text: string;
  disabled: boolean;
  onText: (text: string) => void;
}

/** The control for one option. All options are texts; a flag is `1` or `0`. */
export function OptionField({ option, text, disabled, onText }: OptionFieldProps): ReactNode {
  const { name, values, isList, isHidden, isSecret, preset, type } = option;
  const typeHint = type === 'text' ? '' : (type ?? '');
  const wrong = text.split('\n').some((line) => isMarker(line.trim()))
    ? 'This stands for a value that is not shown. Type the value itself.'
    : null;
  const common = { label: name, wrong, disabled };
  if (isList) {
    const hint = isHidden
      ? 'Has values, not shown; typed ones replace them'
      : `One in each line${typeHint && `: ${typeHint}`}`;
    return <TextArea {...common} hint={hint} value={text} onChange={(event) => onText(event.target.value)} />;
  }
  if (values && !isHidden) {
    return (
      <SelectField
        {...common}
        value={text}
        options={choices(option, text)}
        onChange={(event) => onText(event.target.value)}
      />
    );
  }
  return (
    <TextField
      {...common}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      placeholder={isHidden ? 'Has a value, not shown' : (preset ?? undefined)}
      hint={isHidden ? 'Stays as it is unless you type another one' : typeHint || undefined}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

const FLAG_WORDS: Readonly<Record<string, string>> = { '0': '0 · off', '1': '1 · on' };

/** The declared values, the one that the device has, and none. */
function choices({ values, preset, text: first }: FormOption, text: string): (readonly [string, string])[] {
  const known = values ?? [];
  const isFlag = known.length === 2 && known.every((value) => value === '0' || value === '1');
  const others = [...new Set([first, text])].filter((value) => value !== '' && !known.includes(value));
  return [
    ['', preset === null ? 'Not set' : `Not set (${preset})`],
    ...[...known, ...others].map((value) => [value, isFlag ? (FLAG_WORDS[value] ?? value) : value] as const),
  ];
}
