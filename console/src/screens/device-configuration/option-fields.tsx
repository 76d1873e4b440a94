import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import css from './device-configuration.module.css';
import { OptionField } from './option-field.js';
import { type FormOption, type Typed } from './section-values.js';

interface OptionFieldsProps {
  options: readonly FormOption[];
  typed: Typed;
  /** Sentences by the names of options. */
  problems: Readonly<Record<string, string>>;
  disabled: boolean;
  onTyped: (typed: Typed) => void;
}

/** Options with a value and those that are needed first; the others are folded away. */
export function OptionFields({ options, typed, problems, disabled, onTyped }: OptionFieldsProps): ReactNode {
  const isNew = options.every(({ text, isHidden }) => text === '' && !isHidden);
  const [isOpen, setOpen] = useState(false);
  const field = (option: FormOption) => (
    <div key={option.name} data-option={option.name}>
      <OptionField
        option={option}
        text={typed[option.name] ?? option.text}
        wrong={problems[option.name] ?? null}
        disabled={disabled}
        onText={(text) => onTyped({ ...typed, [option.name]: text })}
      />
    </div>
  );
  const rest = options.filter((option) => !isFirst(option));
  const first = options.filter(isFirst);
  if (first.length === 0) return <div className={css.fields}>{rest.map(field)}</div>;
  return (
    <>
      <div className={css.fields}>{first.map(field)}</div>
      {rest.length > 0 && (
        <details
          className={css.rest}
          open={isOpen || rest.some(({ name }) => problems[name])}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary className="small quiet">
            {isNew ? countText(rest.length, 'further option') : `${countText(rest.length, 'option')} without a value`}
          </summary>
          <div className={css.fields}>{rest.map(field)}</div>
        </details>
      )}
    </>
  );
}

const isFirst = ({ text, isHidden, isRequired }: FormOption): boolean => text !== '' || isHidden || isRequired;
