import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import { Notice } from '../../ui/messages.js';
import { ArtifactField, FirmwareField } from './artifact-fields.js';
import { ChangesField } from './changes/changes-field.js';
import { type Place } from './field-errors.js';
import { type Field, type Fields, isShown, isSpec, type Spec, usesRare, withValue, wrongOf } from './fields.js';
import { useRefused } from './form-scene.js';
import styles from './job-forms.module.css';
import { PairsField } from './pairs-field.js';
import { SealedField } from './sealed-field.js';
import { SmallField, type ValueProps } from './small-field.js';
import { useAddedRow } from './use-added-row.js';

interface SpecFieldsProps {
  fields: Fields;
  spec: Spec;
  onSpec: (spec: Spec) => void;
  place?: Place;
}

/** The fields of an object in their order; small ones side by side, and those that few need folded after the others. */
export function SpecFields({ fields, spec, onSpec, place = [] }: SpecFieldsProps): ReactNode {
  const shown = Object.entries(fields).filter(([, field]) => isShown(field, spec));
  const rare = shown.filter(([, { isRare }]) => isRare);
  const rows = (entries: readonly Entry[]) =>
    runsOf(entries).map(({ width, members }) => (
      <div key={members[0]?.[0]} className={styles[width]}>
        {members.map(([name, field]) => (
          <OneField key={name} name={name} field={field} spec={spec} onSpec={onSpec} place={[...place, name]} />
        ))}
      </div>
    ));
  return (
    <>
      {rows(shown.filter(([, { isRare }]) => !isRare))}
      {rare.length > 0 && (
        <MoreOptions isUsed={usesRare(fields, spec)} places={rare.flatMap((entry) => placesOf(entry, place))}>
          {rows(rare)}
        </MoreOptions>
      )}
    </>
  );
}

interface MoreOptionsProps {
  /** One of them has another value than its usual one. */
  isUsed: boolean;
  places: readonly Place[];
  children: ReactNode;
}

/** Open from the first where one of them is used, and where the gateway has refused one. */
function MoreOptions({ isUsed, places, children }: MoreOptionsProps): ReactNode {
  const refused = useRefused();
  const [isOpen, setOpen] = useState(isUsed);
  const isRefused = places.some((place) => refused(place) !== null);
  return (
    <details
      className="equivalent"
      open={isOpen || isRefused}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="small quiet">More options</summary>
      <div className="stack">{children}</div>
    </details>
  );
}

type Entry = readonly [name: string, field: Field];

/** Where the gateway may refuse a field: it, or those of a group. */
const placesOf = ([name, field]: Entry, place: Place): readonly Place[] =>
  field.is === 'group' ? Object.keys(field.of).map((inner) => [...place, name, inner]) : [[...place, name]];

interface Run {
  readonly width: 'grid' | 'checks' | 'wide';
  readonly members: Entry[];
}

const SMALL: readonly Field['is'][] = ['text', 'number', 'number-choice', 'choice', 'words'];

const widthOf = ({ is, isWide }: Field): Run['width'] =>
  is === 'check' ? 'checks' : SMALL.includes(is) && !isWide ? 'grid' : 'wide';

/** Neighbours that have the same width. */
function runsOf(entries: readonly Entry[]): readonly Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const width = widthOf(entry[1]);
    const last = runs.at(-1);
    if (last?.width === width) last.members.push(entry);
    else runs.push({ width, members: [entry] });
  }
  return runs;
}

interface OneFieldProps {
  name: string;
  field: Field;
  spec: Spec;
  onSpec: (spec: Spec) => void;
  place: Place;
}

function OneField({ name, field, spec, onSpec, place }: OneFieldProps): ReactNode {
  const refused = useRefused();
  const value = spec[name];
  const set = (given: unknown) => onSpec(withValue(spec, name, given, field));
  const wrong = wrongOf(field, value) ?? refused(place);
  const { label, hint } = field;
  switch (field.is) {
    case 'check':
      return <OneCheck field={field} value={value} set={set} wrong={wrong} />;
    case 'firmware':
      return <FirmwareField label={label} spec={spec} onSpec={onSpec} wrong={wrong ?? refused(['artifactId'])} />;
    case 'artifact':
      return <ArtifactField label={label} kinds={field.kinds} spec={spec} onSpec={onSpec} wrong={wrong} />;
    case 'sealed':
      return (
        <SealedField
          label={label}
          secret={field.secret}
          none={field.none}
          some={field.some}
          value={value}
          set={set}
          wrong={wrong}
        />
      );
    case 'pairs':
      return <PairsField label={label} of={field.of} value={isSpec(value) ? value : {}} set={set} wrong={wrong} />;
    case 'group':
      return (
        <fieldset className={styles['group']}>
          <legend>
            {label} {hint && <span className="small quiet">{hint}</span>}
          </legend>
          <SpecFields
            fields={field.of}
            spec={isSpec(value) ? value : {}}
            onSpec={(of) => set(Object.keys(of).length > 0 ? of : undefined)}
            place={place}
          />
        </fieldset>
      );
    case 'list':
      return <ListField field={field} value={value} set={set} place={place} />;
    case 'changes':
      return <ChangesField value={value} set={set} place={place} />;
    case 'with-another':
      return null;
    default:
      return <SmallField field={field} spec={spec} value={value} set={set} wrong={wrong} />;
  }
}

function OneCheck({ field, value, set, wrong }: ValueProps & { field: Field & { is: 'check' } }): ReactNode {
  const { on, preset, label, warns } = field;
  const off = on === preset ? false : preset;
  const isOn = (value ?? preset) === on;
  return (
    <div>
      <CheckField label={label} checked={isOn} onChange={(event) => set(event.target.checked ? on : off)} />
      {warns !== undefined && !isOn && <Notice tone="warn">{warns}</Notice>}
      {wrong && <p className="small wrong">{wrong}</p>}
    </div>
  );
}

interface ListFieldProps {
  field: Field & { is: 'list' };
  value: unknown;
  set: (value: unknown) => void;
  place: Place;
}

/** Several objects, each with its fields. */
function ListField({ field, value, set, place }: ListFieldProps): ReactNode {
  const items = Array.isArray(value) ? value.map((one): Spec => (isSpec(one) ? one : {})) : [];
  const change = (all: readonly Spec[]) => set(all.length > 0 ? all : undefined);
  const [rows, added] = useAddedRow<HTMLDivElement>();
  return (
    <div ref={rows} className="stack">
      {items.map((one, at) => (
        <fieldset key={at} data-row className={styles['group']}>
          <legend>
            {field.title} {at + 1}
            <IconButton
              icon="close"
              label={`Remove ${field.title.toLowerCase()} ${at + 1}`}
              onClick={() => change(items.filter((_, index) => index !== at))}
            />
          </legend>
          <SpecFields
            fields={field.of}
            spec={one}
            onSpec={(changed) => change(items.map((before, index) => (index === at ? changed : before)))}
            place={[...place, String(at)]}
          />
        </fieldset>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            change([...items, {}]);
            added();
          }}
        >
          {field.add}
        </Button>
      </div>
    </div>
  );
}
