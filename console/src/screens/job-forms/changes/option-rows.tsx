import { type ReactNode, useId, useState } from 'react';
import { Button, IconButton } from '../../../ui/button.js';
import { TextField } from '../../../ui/field.js';
import { type Option } from '../../device-api/operation.js';
import { optionTitle } from '../../templates/item-words.js';
import { type Place } from '../field-errors.js';
import { type Spec } from '../fields.js';
import { useRefused } from '../form-scene.js';
import styles from '../job-forms.module.css';
import { type Pair, pairsOf, recordOf } from '../pairs.js';
import { Suggestions } from '../suggestions.js';
import { useAddedRow } from '../use-added-row.js';

interface OptionRowsProps {
  /** Of the section. */
  path: string;
  data: Spec;
  onData: (data: Spec) => void;
  options: readonly Option[];
  values: Readonly<Record<string, unknown>> | null;
  place: Place;
}

/** Options with their new values; beside each stands the value that the device has. */
export function OptionRows({ path, data, onData, options, values, place }: OptionRowsProps): ReactNode {
  const list = useId();
  const refused = useRefused();
  const [rows, setRows] = useState<readonly Pair[]>(() => (Object.keys(data).length > 0 ? pairsOf(data) : [['', '']]));
  const [holder, added] = useAddedRow<HTMLDivElement>();
  const titleOf = (name: string) => optionTitle(path, name);
  const change = (changed: readonly Pair[]) => {
    setRows(changed);
    onData(recordOf(changed) ?? {});
  };
  const put = (at: number, pair: Pair) => change(rows.map((before, index) => (index === at ? pair : before)));
  return (
    <div ref={holder} className="stack">
      <Suggestions id={list} of={options.map(({ name }) => name)} titleOf={titleOf} />
      {rows.map(([name, value], at) => (
        <div key={at} data-row className={styles['pair']}>
          <TextField
            label="Option"
            spellCheck={false}
            autoComplete="off"
            list={list}
            value={name}
            hint={options.some((one) => one.name === name) ? titleOf(name) : undefined}
            wrong={name === '' ? null : refused([...place, name])}
            onChange={(event) => put(at, [event.target.value, value])}
          />
          <NewValue
            option={options.find((one) => one.name === name)}
            now={name === '' ? undefined : values?.[name]}
            value={value}
            onValue={(typed) => put(at, [name, typed])}
          />
          <IconButton
            icon="close"
            label={`Remove option ${name || at + 1}`}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            setRows([...rows, ['', '']]);
            added();
          }}
        >
          Add an option
        </Button>
      </div>
    </div>
  );
}

interface NewValueProps {
  option: Option | undefined;
  now: unknown;
  value: unknown;
  onValue: (value: unknown) => void;
}

function NewValue({ option, now, value, onValue }: NewValueProps): ReactNode {
  const list = useId();
  const isList = option?.isList ?? (Array.isArray(now) || Array.isArray(value));
  const hints = [
    ...(now === undefined ? [] : [`Now: ${textOf(now) || 'empty'}`]),
    ...(isList ? ['several with commas'] : []),
    ...(option?.values ? [] : option?.type && option.type !== 'text' ? [option.type] : []),
  ];
  return (
    <>
      <TextField
        label="New value"
        hint={hints.join(' · ') || undefined}
        spellCheck={false}
        autoComplete="off"
        list={option?.values ? list : undefined}
        value={textOf(value)}
        onChange={({ target: { value: text } }) =>
          onValue(isList ? text.split(',').map((one) => one.trimStart()) : text)
        }
      />
      {option?.values && <Suggestions id={list} of={option.values} />}
    </>
  );
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
