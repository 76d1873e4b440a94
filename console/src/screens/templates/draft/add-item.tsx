import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { FormDialog } from '../../../ui/dialog.js';
import { CheckField, SelectField } from '../../../ui/field.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';
import { pathTitle } from '../../observed/path-words.js';
import { watchesQuery } from '../../observed/place.js';
import { sectionName } from '../../observed/value-words.js';
import { MODES, optionTitle, valueText } from '../item-words.js';
import { templatePaths } from '../template-paths.js';
import styles from './draft.module.css';
import { type DraftItem, isRecordPath, keyFields, namedOptions } from './draft-items.js';

type Row = Schema<'ObservedSection'>;

const READ = 300;

interface AddItemProps {
  readonly selector: string;
  readonly onAdd: (item: DraftItem) => void;
  readonly onClose: () => void;
}

/** Chooses a section that a device has, and which of its options the template is to name. */
export function AddItem({ selector, onAdd, onClose }: AddItemProps): ReactNode {
  const watches = useQuery(watchesQuery);
  const paths = templatePaths(watches.data?.items ?? []);
  const read = templatePaths(watches.data?.items.filter(({ enabled }) => enabled) ?? []);
  const [chosen, setChosen] = useState<string | null>(null);
  // Of a watch that reads: others have no section to offer so far.
  const path = chosen ?? read[0] ?? paths[0];
  const [item, setItem] = useState<DraftItem | null>(null);
  return (
    <FormDialog
      title="Add an item"
      size="wide"
      send="Add the item"
      disabled={item === null}
      onSend={() => item && onAdd(item)}
      onClose={onClose}
    >
      {watches.error ? (
        <Failure error={watches.error} onRetry={() => void watches.refetch()} />
      ) : !watches.data ? (
        <Loading />
      ) : path === undefined ? (
        <Notice>
          No watch reads a service that a template can name. A template is compared with what watches have read.
          <To to="/configuration" search={{ tab: 'watches' }}>
            Open the watches
          </To>
        </Notice>
      ) : (
        <>
          <SelectField
            label="Service"
            hint="Those that a watch reads: only these can be compared"
            value={path}
            options={paths.map((one) => [one, pathTitle(one)] as const)}
            onChange={(event) => {
              setChosen(event.target.value);
              setItem(null);
            }}
          />
          <Sections key={path} path={path} selector={selector || 'all'} onItem={setItem} />
        </>
      )}
    </FormDialog>
  );
}

interface SectionsProps {
  readonly path: string;
  readonly selector: string;
  readonly onItem: (item: DraftItem | null) => void;
}

/** The sections that the devices have there, the equal ones once. */
function Sections({ path, selector, onItem }: SectionsProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS.observed.matrix, path, selector, 'sections'],
    queryFn: ({ signal }) =>
      api.get('/v1/observed/matrix', { params: { query: { path, selector, limit: READ } }, signal }),
    refetchOnWindowFocus: false,
  });
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
          label="Section"
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
  return first ? `${name} (${optionTitle(path, first[0])} ${valueText(path, ...first)})` : name;
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
