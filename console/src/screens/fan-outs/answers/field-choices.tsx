import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { CheckField, TextField } from '../../../ui/field.js';
import { type FieldChoice } from './answer-fields.js';
import { type TitleOf } from './field-titles.js';
import styles from './answers.module.css';

/** Of fewer fields all are seen at once. */
const FIND_FROM = 12;

interface FieldChoicesProps {
  choices: readonly FieldChoice[];
  columns: readonly string[];
  titleOf: TitleOf;
  onColumns: (columns: readonly string[]) => void;
}

/** A box for each field of the answers, with how many different values it has. */
export function FieldChoices({ choices, columns, titleOf, onColumns }: FieldChoicesProps): ReactNode {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = choices.filter(({ name }) => `${name} ${titleOf(name)}`.toLowerCase().includes(wanted));
  return (
    <div className="stack">
      {choices.length > FIND_FROM && (
        <TextField
          label="Find a field"
          type="search"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <div className={styles['choices']} role="group" aria-label="Fields of the answers" tabIndex={0}>
        {shown.map(({ name, different }) => (
          <CheckField
            key={name}
            label={
              <span className="foreign" title={name}>
                {titleOf(name)}{' '}
                <span className="small quiet">{different === 1 ? 'all equal' : countText(different, 'value')}</span>
              </span>
            }
            checked={columns.includes(name)}
            onChange={(event) =>
              onColumns(event.target.checked ? [...columns, name] : columns.filter((one) => one !== name))
            }
          />
        ))}
      </div>
    </div>
  );
}
