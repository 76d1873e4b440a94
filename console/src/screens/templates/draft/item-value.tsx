import { type ReactNode } from 'react';
import { wordsOfOption } from '../../../../../src/device-api/words/dictionary.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { Mark } from '../../../ui/mark.js';
import { OptionTitle } from '../../device-configuration/option-field.js';
import { serviceName } from '../../observed/path-words.js';
import { valueText } from '../item-words.js';
import { type OptionValue, textOf, valueOf } from './draft-items.js';

interface ItemValueProps {
  readonly path: string;
  readonly option: string;
  readonly value: OptionValue;
  readonly onValue: (value: OptionValue) => void;
}

/** The value of one setting: a choice where the dictionary has words for its values, else a text. */
export function ItemValue({ path, option, value, onValue }: ItemValueProps): ReactNode {
  const { title, unit, help, example, values } = wordsOfOption(serviceName(path), option);
  const label = <OptionTitle title={title} name={option} unit={unit} />;
  const removes = textOf(value).trim() === '' && (
    <Mark tone="warn">An empty value removes the setting from the router</Mark>
  );
  const known = values ? Object.keys(values) : isOnOrOff(path, option) ? ['1', '0'] : [];
  if (!Array.isArray(value) && (value === '' ? values !== undefined : known.includes(value)))
    return (
      <SelectField
        label={label}
        hint={removes || help}
        value={value}
        options={[...known.map((one) => [one, valueText(path, option, one)] as const), ['', 'not set'] as const]}
        onChange={(event) => onValue(event.target.value)}
      />
    );
  const hints = [
    Array.isArray(value) && 'Several values, with commas between them.',
    help,
    example && `Such as ${example}`,
  ].filter(Boolean);
  return (
    <TextField
      label={label}
      hint={
        (removes || hints.length > 0) && (
          <>
            {removes} {hints.join(' ')}
          </>
        )
      }
      spellCheck={false}
      value={textOf(value)}
      onChange={(event) => onValue(valueOf(event.target.value, value))}
    />
  );
}

const isOnOrOff = (path: string, option: string): boolean =>
  valueText(path, option, '1') === 'On' && valueText(path, option, '0') === 'Off';
