import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import css from './device-configuration.module.css';
import { type FormOption, linesOf, valueText } from './section-values.js';

interface ListFieldProps {
  option: FormOption;
  label: ReactNode;
  hint: string | undefined;
  wrong: string | null;
  disabled: boolean;
  /** An entry in each line. */
  text: string;
  onText: (text: string) => void;
}

/** An option with several values: a row for each, or boxes where the device names all values that there are. */
export function ListField({ option, label, hint, wrong, disabled, text, onText }: ListFieldProps): ReactNode {
  const id = useId();
  const Entries = option.values && !option.isHidden ? Boxes : Rows;
  return (
    <fieldset className={css.list} disabled={disabled} aria-describedby={wrong || hint ? `${id}-note` : undefined}>
      <legend>{label}</legend>
      <Entries option={option} isWrong={wrong !== null} text={text} onText={onText} />
      {(wrong ?? hint) && (
        <span id={`${id}-note`} className={wrong ? css.wrong : css.hint}>
          {wrong ?? hint}
        </span>
      )}
    </fieldset>
  );
}

interface EntriesProps extends Pick<ListFieldProps, 'option' | 'text' | 'onText'> {
  isWrong: boolean;
}

function Boxes({ option, text, onText }: EntriesProps): ReactNode {
  const chosen = linesOf(text);
  const known = option.values ?? [];
  const all = [...known, ...chosen.filter((value) => !known.includes(value))];
  const toggle = (value: string, isOn: boolean) =>
    onText(all.filter((one) => (one === value ? isOn : chosen.includes(one))).join('\n'));
  return (
    <div className={css.boxes}>
      {all.map((value) => (
        <CheckField
          key={value}
          label={valueText(option, value)}
          checked={chosen.includes(value)}
          onChange={(event) => toggle(value, event.target.checked)}
        />
      ))}
    </div>
  );
}

function Rows({ option: { words, type }, isWrong, text, onText }: EntriesProps): ReactNode {
  const rows = text.split('\n');
  const [added, setAdded] = useState<number | null>(null);
  const change = (at: number, row: string) => onText(rows.with(at, row.replaceAll('\n', ' ')).join('\n'));
  return (
    <>
      {rows.map((row, at) => (
        <div key={at} className={css.listRow}>
          <input
            className="input"
            aria-label={`${words.title}, row ${at + 1}`}
            aria-invalid={isWrong || undefined}
            autoFocus={at === added}
            autoComplete="off"
            spellCheck={false}
            inputMode={type === 'port' ? 'numeric' : undefined}
            value={row}
            onChange={(event) => change(at, event.target.value)}
          />
          {(rows.length > 1 || row !== '') && (
            <IconButton
              icon="close"
              label={`Remove row ${at + 1} of ${words.title}`}
              onClick={() => onText(rows.toSpliced(at, 1).join('\n'))}
            />
          )}
        </div>
      ))}
      <div>
        <Button
          kind="quiet"
          icon="plus"
          disabled={rows.at(-1) === ''}
          onClick={() => {
            setAdded(rows.length);
            onText(`${text}\n`);
          }}
        >
          Add a row
        </Button>
      </div>
    </>
  );
}
