import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/field.js';
import { type Spec } from './fields.js';
import styles from './job-forms.module.css';
import { pairsOf, recordOf, valueOfText, type Pair, textOfValue } from './pairs.js';
import { useAddedRow } from './use-added-row.js';

interface PairsFieldProps {
  label: string;
  /** `texts`: what a device takes; `values`: also true, false and numbers; `access`: what accounts may do at a path. */
  of: 'texts' | 'values' | 'access';
  value: Spec;
  set: (value: unknown) => void;
  wrong: string | null;
}

/** Names and values, a row for each. */
export function PairsField({ label, of, value, set, wrong }: PairsFieldProps): ReactNode {
  // A name that is not typed yet, or twice, has a row and no place in an object.
  const [rows, setRows] = useState<readonly Pair[]>(() => pairsOf(value));
  const [holder, added] = useAddedRow<HTMLFieldSetElement>();
  const change = (changed: readonly Pair[]) => {
    setRows(changed);
    set(recordOf(changed));
  };
  const put = (at: number, pair: Pair) => change(rows.map((before, index) => (index === at ? pair : before)));
  return (
    <fieldset ref={holder} className={styles['group']}>
      <legend>{label}</legend>
      {rows.map(([name, one], at) => (
        <div key={at} data-row className={styles['pair']}>
          <TextField
            label={of === 'access' ? 'Path, with * for any' : 'Name'}
            spellCheck={false}
            value={name}
            onChange={(event) => put(at, [event.target.value, one])}
          />
          {of === 'access' ? (
            <AccessField value={one} onValue={(access) => put(at, [name, access])} />
          ) : (
            <TextField
              label="Value"
              spellCheck={false}
              value={of === 'texts' && typeof one === 'string' ? one : textOfValue(one)}
              onChange={(event) =>
                put(at, [name, of === 'texts' ? event.target.value : valueOfText(event.target.value)])
              }
            />
          )}
          <IconButton
            icon="close"
            label={`Remove ${name || 'the row'}`}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {wrong && <p className="small wrong">{wrong}</p>}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            setRows([...rows, ['', of === 'access' ? ['read'] : '']]);
            added();
          }}
        >
          {of === 'access' ? 'Add a path' : 'Add a value'}
        </Button>
      </div>
    </fieldset>
  );
}

const ACCESS = [
  ['read', 'Read'],
  ['write', 'Write'],
  ['read,write', 'Read and write'],
] as const;

function AccessField({ value, onValue }: { value: unknown; onValue: (access: readonly string[]) => void }): ReactNode {
  const chosen = Array.isArray(value) ? ['read', 'write'].filter((one) => value.includes(one)).join(',') : 'read';
  return (
    <SelectField
      label="May"
      value={chosen}
      options={ACCESS}
      onChange={(event) => onValue(event.target.value.split(','))}
    />
  );
}
