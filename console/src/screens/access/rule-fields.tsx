import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { IconButton } from '../../ui/button.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { CheckField, SelectField, TextArea } from '../../ui/field.js';
import { nounTitle, PERMISSION_NOUNS, permissionsWords } from './permissions.js';
import { pathLines, pathsOf } from './rule-text.js';
import css from './access.module.css';

type Rule = Schema<'SaveRole'>['rules'][number];

const EFFECTS = [
  ['allow', 'Allow'],
  ['deny', 'Deny'],
] as const;

interface RuleFieldsProps {
  place: number;
  rule: Rule;
  /** Its permissions are said at first, and open to boxes. */
  isFolded: boolean;
  /** What the gateway has against its selector. */
  wrong: string | null;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

/** One rule of a role: its effect, what it is about, on which devices, and at which of their paths. */
export function RuleFields({ place, rule, isFolded, wrong, onChange, onRemove }: RuleFieldsProps): ReactNode {
  const [isOpen, setOpen] = useState(!isFolded);
  const [lines, setLines] = useState(() => pathLines(rule.devices ?? null));
  const [isNarrowed] = useState(lines !== '');
  return (
    <fieldset className={`card ${css.rule}`}>
      <legend className="row">
        Rule {place}
        <IconButton icon="close" label={`Remove rule ${place}`} onClick={onRemove} />
      </legend>
      <div className={css.heads}>
        <SelectField
          label="Effect"
          hint="A rule that denies has priority over all that allow"
          value={rule.effect}
          options={EFFECTS}
          onChange={(event) => onChange({ ...rule, effect: event.target.value as Rule['effect'] })}
        />
        <SelectorChoice
          label="For which devices"
          emptyIsAll
          isRight
          value={rule.selector ?? ''}
          wrong={wrong}
          onValue={(selector) => onChange({ ...rule, selector: selector || null })}
        />
      </div>
      <details className="equivalent" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{permissionsWords(rule.permissions)}</summary>
        <PermissionChoice
          place={place}
          chosen={rule.permissions}
          onChange={(permissions) => onChange({ ...rule, permissions })}
        />
      </details>
      <details className="equivalent" open={isNarrowed}>
        <summary>{lines.trim() === '' ? 'All paths of these devices' : 'Some paths of these devices'}</summary>
        <TextArea
          label="At which paths of the devices, one in each line"
          hint="Such as /wireless/* read write. Only for calls of devices; empty: all paths"
          rows={2}
          value={lines}
          onChange={(event) => {
            setLines(event.target.value);
            onChange({ ...rule, devices: pathsOf(event.target.value) });
          }}
        />
      </details>
    </fieldset>
  );
}

interface PermissionChoiceProps {
  place: number;
  /** Names of permissions, `noun.*`, or `*`. */
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function PermissionChoice({ place, chosen, onChange }: PermissionChoiceProps): ReactNode {
  const set = (pattern: string, isOn: boolean, covers: (name: string) => boolean = () => false) => {
    const others = chosen.filter((one) => one !== pattern && !(isOn && covers(one)));
    onChange(isOn ? [...others, pattern] : others);
  };
  const hasAll = chosen.includes('*');
  return (
    <div className="stack" role="group" aria-label={`Permissions of rule ${place}`}>
      <CheckField
        label="Everything"
        checked={hasAll}
        onChange={(event) => set('*', event.target.checked, () => true)}
      />
      {!hasAll &&
        PERMISSION_NOUNS.map(([noun, permissions]) => {
          const hasNoun = chosen.includes(`${noun}.*`);
          return (
            <div key={noun} className={css.permissions}>
              <CheckField
                label={<strong>{nounTitle(noun)}</strong>}
                aria-label={`All permissions of ${noun}`}
                checked={hasNoun}
                onChange={(event) => set(`${noun}.*`, event.target.checked, (one) => one.startsWith(`${noun}.`))}
              />
              <div>
                {permissions.map(([name, to]) => (
                  <CheckField
                    key={name}
                    label={<span title={name}>{to}</span>}
                    checked={hasNoun || chosen.includes(name)}
                    disabled={hasNoun}
                    onChange={(event) => set(name, event.target.checked)}
                  />
                ))}
              </div>
            </div>
          );
        })}
    </div>
  );
}
