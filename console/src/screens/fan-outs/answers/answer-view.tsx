import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/copy.js';
import { CheckField, TextField } from '../../../ui/field.js';
import { Facts } from '../../../ui/page.js';
import { JsonTree } from '../../device-api/json-tree.js';
import { fieldChoices, type Values, valuesOf } from './answer-fields.js';
import { shownValue, titlesOf, toneOfField } from './field-titles.js';
import styles from './answers.module.css';

interface AnswerViewProps {
  /** What it is, for screen readers. */
  label: string;
  body: unknown;
  /** What most devices answered, of the fields in which they do not all agree. */
  usual?: Values;
}

const NO_USUAL: Values = new Map();

/** One answer: its fields with titles and units, or its JSON. */
export function AnswerView({ label, body, usual = NO_USUAL }: AnswerViewProps): ReactNode {
  const [isJson, setJson] = useState(false);
  return (
    <div className="stack">
      <div className="row spread">
        <span className="row" role="group" aria-label="Form of the answer">
          <Button aria-pressed={!isJson} onClick={() => setJson(false)}>
            Fields
          </Button>
          <Button aria-pressed={isJson} onClick={() => setJson(true)}>
            JSON
          </Button>
        </span>
        <CopyButton
          text={typeof body === 'string' ? body : JSON.stringify(body, null, 2)}
          label="Copy the answer as JSON"
        />
      </div>
      {isJson ? (
        <JsonTree label={label} value={body} />
      ) : (
        <Fields label={label} values={valuesOf(body)} usual={usual} />
      )}
    </div>
  );
}

interface FieldsProps {
  label: string;
  values: Values;
  usual: Values;
}

/** Of fewer fields all are seen at once. */
const FIND_FROM = 12;

function Fields({ label, values, usual }: FieldsProps): ReactNode {
  const [text, setText] = useState('');
  const [isOnly, setOnly] = useState(false);
  const one = [{ deviceId: '', name: '', outcome: '', values }];
  const titleOf = titlesOf(fieldChoices(one), one);
  const isUnusual = (name: string, value: string) => usual.has(name) && usual.get(name) !== value;
  const unusual = [...values].filter(([name, value]) => isUnusual(name, value)).length;
  const wanted = text.trim().toLowerCase();
  const shown = [...values].filter(([name, value]) => {
    const all = `${name} ${titleOf(name)} ${value} ${shownValue(name, value)}`.toLowerCase();
    return all.includes(wanted) && (!isOnly || unusual === 0 || isUnusual(name, value));
  });
  return (
    <div className="stack">
      {values.size > FIND_FROM && (
        <TextField
          label="Find in the answer"
          type="search"
          placeholder="A name or a value"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {unusual > 0 && (
        <CheckField
          label={`Only the ${countText(unusual, 'field')} in which it is unlike most devices`}
          checked={isOnly}
          onChange={(event) => setOnly(event.target.checked)}
        />
      )}
      {shown.length === 0 && <p className="quiet">Nothing in the answer has this text.</p>}
      <section aria-label={label}>
        <Facts
          of={shown.map(([name, value]) => [
            titleOf(name),
            <span key={name} title={name} className={styles['tone']} data-tone={toneOfField(name, value) ?? undefined}>
              {isUnusual(name, value) ? (
                <strong className={styles['unusual']} title={`Most have ${shownValue(name, usual.get(name)!)}`}>
                  {shownValue(name, value)}
                </strong>
              ) : (
                shownValue(name, value)
              )}
            </span>,
          ])}
        />
      </section>
    </div>
  );
}
