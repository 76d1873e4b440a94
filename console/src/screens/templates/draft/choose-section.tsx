import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Schema } from '../../../api/client.js';
import { CheckField, SelectField } from '../../../ui/field.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';
import { pathTitle, sectionNoun, serviceName } from '../../observed/path-words.js';
import { sectionName } from '../../observed/value-words.js';
import { MODES, optionTitle, valueText } from '../item-words.js';
import { sectionsAt } from './choose-settings.js';
import styles from './draft.module.css';
import { type DraftItem, isRecordPath, keyFields, namedOptions } from './draft-items.js';

type Row = Schema<'ObservedSection'>;

interface ChooseSectionProps {
  readonly paths: readonly string[];
  /** Of these, one is shown first: it has sections to offer. */
  readonly read: readonly string[];
  readonly selector: string;
  readonly onItem: (item: DraftItem | null) => void;
}

/** One entry of a list as a whole: by which field it is found, and whether it is set, alone in its list, or not there. */
export function ChooseSection({ paths, read, selector, onItem }: ChooseSectionProps): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const path = chosen ?? read[0] ?? paths[0]!;
  return (
    <>
      <SelectField
        label="Service"
        hint="Those that a watch reads: only these can be compared"
        value={path}
        options={paths.map((one) => [one, pathTitle(one)] as const)}
        onChange={(event) => {
          setChosen(event.target.value);
          onItem(null);
        }}
      />
      <Sections key={path} path={path} selector={selector} onItem={onItem} />
    </>
  );
}

interface SectionsProps {
  readonly path: string;
  readonly selector: string;
  readonly onItem: (item: DraftItem | null) => void;
}

/** The sections that the devices have there, the equal ones once. */
function Sections({ path, selector, onItem }: SectionsProps): ReactNode {
  const { data, error, refetch } = useQuery(sectionsAt(path, selector));
  const [at, setAt] = useState(0);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const rows = distinct(data.items);
  const row = rows[at];
  if (!row)
    return (
      <Notice>
        No device of the selector was read there. Let a watch read it first, or write the item as JSON.
        <To to="/configuration" search={{ tab: 'watches' }}>
          Open the watches
        </To>
      </Notice>
    );
  return (
    <>
      {!isRecordPath(path) && (
        <SelectField
          label="Entry"
          hint="As a device has it"
          value={String(at)}
          options={rows.map((one, index) => [String(index), `${titleOf(path, one)}, as on ${one.device}`] as const)}
          onChange={(event) => setAt(Number(event.target.value))}
        />
      )}
      <Choice key={at} path={path} row={row} onItem={onItem} />
    </>
  );
}

function distinct(rows: readonly Row[]): readonly Row[] {
  const known = new Map(rows.map((row) => [JSON.stringify([row.section, row.options]), row]));
  return [...known.values()];
}

function titleOf(path: string, { section, options }: Row): string {
  const name = sectionName(section, options);
  const first = Object.entries(namedOptions(options)).find(([, value]) => value !== name && value.length > 0);
  const noun = sectionNoun(serviceName(path), name);
  return first ? `${noun} (${optionTitle(path, first[0])} ${valueText(path, ...first)})` : noun;
}

/** By which field the section is named, and which options are taken; without any, the item says that the section is there. */
function Choice({ path, row, onItem }: { path: string; row: Row; onItem: SectionsProps['onItem'] }): ReactNode {
  const fields = keyFields(row.options);
  const isRecord = isRecordPath(path);
  // A field that leaves options to fix: found by its only option, a section could only be there.
  const leaves = (name: string) => Object.keys(namedOptions(row.options)).some((one) => one !== name);
  const [field, setField] = useState(fields.find(leaves) ?? fields[0] ?? '');
  const [mode, setMode] = useState<DraftItem['mode']>('has');
  const [taken, setTaken] = useState<readonly string[]>([]);
  const item = useMemo(() => itemOf({ path, row, field, mode, taken }), [path, row, field, mode, taken]);
  useEffect(() => onItem(item), [item, onItem]);
  const others = Object.entries(namedOptions(row.options)).filter(([name]) => isRecord || name !== field);
  return (
    <>
      {!isRecord && (
        <div className={styles['pair']}>
          <SelectField
            label="Found on each router by"
            hint="An id may differ between routers; a name often does not"
            value={field}
            options={fields.map((name) => [name, `${optionTitle(path, name)}: ${String(row.options[name])}`] as const)}
            onChange={(event) => setField(event.target.value)}
          />
          <SelectField
            label="What is done with it"
            value={mode}
            options={Object.entries(MODES)}
            onChange={(event) => setMode(event.target.value as DraftItem['mode'])}
          />
        </div>
      )}
      {mode !== 'absent' && (
        <fieldset className={styles['choices']}>
          <legend className="small quiet">What should be fixed; a secret is added as JSON</legend>
          {others.length === 0 && (
            <p className="quiet">The section has no other option: the template says only that the section is there.</p>
          )}
          {others.map(([name, value]) => (
            <CheckField
              key={name}
              label={
                <span className="foreign">
                  {optionTitle(path, name)} <span className="quiet">{valueText(path, name, value)}</span>
                </span>
              }
              checked={taken.includes(name)}
              onChange={({ target }) =>
                setTaken(target.checked ? [...taken, name] : taken.filter((one) => one !== name))
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

interface Chosen {
  readonly path: string;
  readonly row: Row;
  readonly field: string;
  readonly mode: DraftItem['mode'];
  readonly taken: readonly string[];
}

/** Null: a section without a field that names it, or the one section of a service without an option. */
function itemOf({ path, row, field, mode, taken }: Chosen): DraftItem | null {
  const isRecord = isRecordPath(path);
  const options = namedOptions(row.options);
  const names = mode === 'absent' ? [] : taken.filter((name) => isRecord || name !== field);
  if (isRecord ? names.length === 0 : field === '') return null;
  const key = isRecord ? {} : { [field]: String(row.options[field]) };
  return { path, key, mode, options: Object.fromEntries(names.map((name) => [name, options[name]!])), sealed: [] };
}
