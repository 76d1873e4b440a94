import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { useMay } from '../../../api/may.js';
import { Button, IconButton } from '../../../ui/button.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { Loading } from '../../../ui/messages.js';
import { pathTitle, settingTitle } from '../../observed/path-words.js';
import { type FoundSetting } from '../../templates/draft/found-settings.js';
import { ByHand } from './by-hand.js';
import { isBlankChange, withSettings } from './chosen-changes.js';
import { type Place } from '../field-errors.js';
import { isSpec, type Spec, withValue } from '../fields.js';
import { useRefused, useScene } from '../form-scene.js';
import styles from '../job-forms.module.css';
import { useKnownSection } from './known-options.js';
import { OptionRows } from './option-rows.js';
import { SealedField } from '../sealed-field.js';
import { Suggestions } from '../suggestions.js';
import { useAddedRow } from '../use-added-row.js';

const ChooseChanges = lazy(() => import('./choose-changes.js'));

const ACTIONS = [
  ['update', 'Change a section'],
  ['create', 'Add a section'],
  ['delete', 'Remove a section'],
] as const;

interface ChangesFieldProps {
  value: unknown;
  set: (value: unknown) => void;
  place: Place;
}

/** Changes of the configuration, in the order in which the device gets them. */
export function ChangesField({ value, set, place }: ChangesFieldProps): ReactNode {
  const changes = Array.isArray(value) ? value.map((one): Spec => (isSpec(one) ? one : {})) : [];
  const [rows, added] = useAddedRow<HTMLDivElement>();
  const { device, isFixed } = useScene();
  const [other, setOther] = useState<string | null>(null);
  const sample = isFixed || device === null ? device : (other ?? device);
  const mayChoose = useMay('device.call_read');
  const [asked, ask] = useState<boolean | null>(null);
  const [drawn, setDrawn] = useState(0); // the rows of options start from what was chosen
  const isBlank = changes.every(isBlankChange);
  const isChoosing = mayChoose && (asked ?? isBlank);
  const shown = isChoosing && isBlank ? [] : changes;
  const choose = (settings: readonly FoundSetting[]) => {
    set(withSettings(changes, settings));
    setDrawn(drawn + 1);
    ask(false);
    added();
  };
  return (
    <div ref={rows} className="stack">
      {shown.map((change, at) => (
        <fieldset key={`${drawn} ${at}`} data-row className={styles['group']}>
          <legend>
            Change {at + 1}
            {changes.length > 1 && (
              <IconButton
                icon="close"
                label={`Remove change ${at + 1}`}
                onClick={() => set(changes.filter((_, index) => index !== at))}
              />
            )}
          </legend>
          <OneChange
            change={change}
            onChange={(changed) => set(changes.map((before, index) => (index === at ? changed : before)))}
            place={[...place, String(at)]}
          />
        </fieldset>
      ))}
      {isChoosing && sample === null && (
        <div className="stack">
          <p className="quiet">
            {isFixed
              ? 'Choose the device first: its settings are then offered by name.'
              : 'Choose the devices first: settings are then offered by name, as one of them has them that is online.'}
          </p>
          <ByHand onByHand={() => ask(false)} />
        </div>
      )}
      {isChoosing && sample !== null && (
        <Suspense fallback={<Loading />}>
          <ChooseChanges
            key={sample}
            device={sample}
            onDevice={isFixed ? undefined : setOther}
            onChosen={choose}
            onByHand={() => ask(false)}
          />
        </Suspense>
      )}
      {!isChoosing && (
        <div className="row">
          {mayChoose && <Button onClick={() => ask(true)}>Choose settings</Button>}
          <Button
            icon="plus"
            onClick={() => {
              set([...changes, { action: 'update', path: '', data: {} }]);
              added();
            }}
          >
            Add a change
          </Button>
        </div>
      )}
    </div>
  );
}

interface OneChangeProps {
  change: Spec;
  onChange: (change: Spec) => void;
  place: Place;
}

function OneChange({ change, onChange, place }: OneChangeProps): ReactNode {
  const list = useId();
  const refused = useRefused();
  const action = typeof change['action'] === 'string' ? change['action'] : 'update';
  const path = typeof change['path'] === 'string' ? change['path'] : '';
  const known = useKnownSection(path, action);
  const { data: _, sealed: __, ...removal } = change;
  return (
    <>
      <div className={styles['grid']}>
        <SelectField
          label="What"
          value={action}
          options={ACTIONS}
          onChange={({ target: { value } }) =>
            onChange(value === 'delete' ? { ...removal, action: value } : { data: {}, ...change, action: value })
          }
        />
        <TextField
          label="Section"
          hint={sectionHint(path, action, known.paths)}
          wrong={refused([...place, 'path'])}
          spellCheck={false}
          autoComplete="off"
          list={list}
          value={path}
          onChange={(event) => onChange({ ...change, path: event.target.value })}
        />
      </div>
      <Suggestions id={list} of={known.paths} titleOf={sectionText} />
      {action !== 'delete' && (
        <>
          <OptionRows
            path={path}
            data={isSpec(change['data']) ? change['data'] : {}}
            onData={(data) => onChange({ ...change, data })}
            options={known.options}
            values={known.values}
            place={[...place, 'data']}
          />
          <SecretRows
            value={change['sealed']}
            onValue={(sealed) => onChange(withValue(change, 'sealed', sealed))}
            place={[...place, 'sealed']}
          />
        </>
      )}
    </>
  );
}

/** `/api/ntp/servers/config/1` as “Time › Server 1”. */
function sectionText(path: string): string {
  const [, service, id] = /^(.*\/config)\/([^/]+)$/.exec(path) ?? [];
  return service !== undefined && id !== undefined ? settingTitle(service, decodeURIComponent(id)) : pathTitle(path);
}

/** What people call a section that the device has; else an example. */
function sectionHint(path: string, action: string, known: readonly string[]): string {
  if (known.includes(path)) return sectionText(path);
  return action === 'create' ? 'Such as /api/firewall/rules/config' : 'Such as /api/ntp/global';
}

interface SecretRowsProps {
  value: unknown;
  onValue: (value: readonly Spec[] | undefined) => void;
  place: Place;
}

/** Options with secret values, which the parameters name as sealed values. */
function SecretRows({ value, onValue, place }: SecretRowsProps): ReactNode {
  const refused = useRefused();
  const [holder, added] = useAddedRow<HTMLDivElement>();
  const rows = Array.isArray(value) ? value.map((one): Spec => (isSpec(one) ? one : {})) : [];
  const change = (changed: readonly Spec[]) => onValue(changed.length > 0 ? changed : undefined);
  const put = (at: number, row: Spec) => change(rows.map((before, index) => (index === at ? row : before)));
  return (
    <div ref={holder} className="stack">
      {rows.map((row, at) => (
        <div key={at} data-row className={styles['pair']}>
          <TextField
            label="Secret option"
            spellCheck={false}
            wrong={refused([...place, String(at), 'option'])}
            value={typeof row['option'] === 'string' ? row['option'] : ''}
            onChange={(event) => put(at, { ...row, option: event.target.value })}
          />
          <SealedField
            label="Its value"
            secret="value"
            none="Choose …"
            value={row['valueId']}
            set={(valueId) => put(at, { ...row, valueId })}
            wrong={refused([...place, String(at), 'valueId'])}
          />
          <IconButton
            icon="close"
            label={`Remove secret option ${at + 1}`}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            change([...rows, { option: '', valueId: null }]);
            added();
          }}
        >
          Add a secret option
        </Button>
      </div>
    </div>
  );
}
