import { type ReactNode } from 'react';
import { SelectField, SwitchField, TextField } from '../../ui/field.js';
import css from './device-configuration.module.css';
import { ListField } from './list-field.js';
import { type FormOption, isFlag, valueText } from './section-values.js';

interface OptionFieldProps {
  option: FormOption;
  text: string;
  /** Why the value cannot be saved. */
  wrong: string | null;
  disabled: boolean;
  onText: (text: string) => void;
}

/** The control for one option. All options are texts; a flag is `1` or `0`. */
export function OptionField({ option, text, wrong, disabled, onText }: OptionFieldProps): ReactNode {
  const { name, words, values, isList, isHidden, isSecret, preset, isRequired } = option;
  const label = <OptionTitle title={words.title} name={name} unit={words.unit} />;
  const common = { label, wrong, disabled };
  if (isList) return <ListField {...common} option={option} hint={hintOf(option)} text={text} onText={onText} />;
  if (isFlag(values) && !isHidden) {
    const isOn = isOnNow(option, text);
    const next = isOn ? '0' : '1';
    return (
      <SwitchField
        {...common}
        hint={hintOf(option)}
        checked={isOn}
        onChange={() => onText(isOnNow(option, option.text) === !isOn ? option.text : next)}
      />
    );
  }
  if (values && !isHidden) {
    return (
      <SelectField
        {...common}
        hint={words.help}
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
      inputMode={option.type === 'integer' || option.type === 'port' ? 'numeric' : undefined}
      autoComplete={isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      aria-required={isRequired || undefined}
      placeholder={isHidden ? 'Has a value, not shown' : (preset ?? undefined)}
      hint={hintOf(option)}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

/** A flag that is not set is as the device presets it. */
const isOnNow = ({ preset }: FormOption, text: string): boolean => (text === '' ? preset : text) === '1';

const figure = (value: number) => value.toLocaleString('en');

/** Help, range and an example; undefined where there is nothing to say. */
function hintOf({
  words: { help, range, example },
  isHidden,
  isList,
  isRequired,
  text,
}: FormOption): string | undefined {
  if (isHidden && isList) return 'Has values, not shown; typed ones replace them.';
  if (isHidden) return 'Stays as it is unless you type another one.';
  const parts = [
    isRequired && text === '' ? 'Needed.' : null,
    help,
    range && `${figure(range[0])} to ${figure(range[1])}.`,
    example && `Such as ${example}`,
  ];
  return parts.filter(Boolean).join(' ') || undefined;
}

/** The declared values, the one that the device has, and none. */
function choices(option: FormOption, text: string): (readonly [string, string])[] {
  const { values, preset, text: first } = option;
  const known = values ?? [];
  const others = [...new Set([first, text])].filter((value) => value !== '' && !known.includes(value));
  return [
    ['', preset === null ? 'Not set' : `Not set (${valueText(option, preset)})`],
    ...[...known, ...others].map((value) => [value, valueText(option, value)] as const),
  ];
}

interface OptionTitleProps {
  title: string;
  /** As the device has it. */
  name: string;
  unit?: string | undefined;
}

/** What an option is called; the name that the device has for it is a hint. */
export function OptionTitle({ title, name, unit }: OptionTitleProps): ReactNode {
  return (
    <span title={name}>
      {title}
      {unit && <span className={css.unit}> in {unit}</span>}
    </span>
  );
}
