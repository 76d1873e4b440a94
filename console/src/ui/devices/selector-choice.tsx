import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { unreadChoices } from '../../api/problems.js';
import { TextArea } from '../field.js';
import { Icon } from '../icons.js';
import { Chip, Chips } from './chips.js';
import styles from './choice/choice.module.css';
import { ChosenCount } from './choice/chosen-count.js';
import { GroupPanel, NamePanel, TermText } from './choice/group-panel.js';
import { pickedFields, type PickField, withPicked } from './choice/picked-devices.js';
import { type Permission } from './selection-preview.js';

const ALL = [['all', 'All devices']] as const;
const EVERY = [['', 'All devices']] as const;

const GROUPS: readonly (readonly [PickField, string])[] = [
  ['site', 'Site'],
  ['model', 'Model'],
  ['tag', 'Tag'],
  ['firmware', 'Firmware'],
  ['name', 'Name'],
];

/** Chosen values of a group that its button names; more are counted. */
const NAMED = 2;

const HINT = 'Such as tag:pump & site:vilnius/* & firmware<7.14';

interface SelectorChoiceProps {
  label?: string;
  /** Of the selector as text. */
  hint?: string;
  value: string;
  onValue: (selector: string) => void;
  /** What the gateway has against it. */
  wrong?: string | null | undefined;
  /** What the action needs on each device: those without it are named. */
  permission?: Permission;
  /** What becomes of locked devices. */
  locked?: 'leftOut' | 'waitedFor';
  /** Selectors by one click; an empty one says what no choice means. */
  choices?: readonly (readonly [selector: string, text: string])[];
  /** Without a choice it is about all devices. */
  emptyIsAll?: boolean;
  /** A right or a lock: it can name no saved selector. */
  isRight?: boolean;
  /** The selector of which these devices are a part: its text is edited, and its devices are counted. */
  whole?: {
    readonly selector: string;
    readonly onSelector: (selector: string) => void;
    readonly label: string;
    /** What an empty one means. */
    readonly none: string;
  };
}

type Opened = PickField | 'saved' | null;

/**
 * Devices by clicks: all, those of a saved selector, or by site, model, tag, firmware and name, of which one group is open at a
 * time; below them how many these are, and their first names. The selector as text is behind a button, and open where it says
 * more than clicks can.
 */
export function SelectorChoice(props: SelectorChoiceProps): ReactNode {
  const { label = 'Devices', hint = HINT, value, onValue, wrong, permission = 'device.read' } = props;
  const { emptyIsAll = false, choices = emptyIsAll ? EVERY : ALL, whole } = props;
  const id = useId();
  const [opened, setOpened] = useState<Opened>(null);
  const [isText, setText] = useState(false);
  const fields = pickedFields(value);
  const isClicked = fields !== null || /^@\S+$/.test(value.trim()) || choices.some(([one]) => one === value.trim());
  const isTextOpen = isText || !isClicked || Boolean(wrong);
  const group = (name: Exclude<Opened, null>) => ({
    isOpen: opened === name,
    panel: `${id}-panel`,
    onClick: () => setOpened(opened === name ? null : name),
  });
  const pick = (term: string) => onValue(withPicked(value, term));
  return (
    <div className={styles['choice']} role="group" aria-labelledby={`${id}-label`}>
      <div className={styles['head']}>
        <span id={`${id}-label`}>{label}</span>
        <button
          type="button"
          className="button small"
          data-kind="link"
          aria-expanded={isTextOpen}
          aria-controls={`${id}-text`}
          disabled={!isClicked}
          onClick={() => setText(!isTextOpen)}
        >
          Edit as text
        </button>
      </div>
      <Chips label={`${label} by one click`}>
        {choices.map(([selector, text], at) => (
          <Chip key={selector} isFirst={at === 0} isOn={value.trim() === selector} onClick={() => onValue(selector)}>
            {text}
          </Chip>
        ))}
        {GROUPS.map(([by, title]) => (
          <Opener key={by} title={title} picked={fields?.get(by) ?? []} {...group(by)} />
        ))}
        {!props.isRight && <SavedOpener value={value} {...group('saved')} />}
      </Chips>
      <div id={`${id}-panel`} className={styles['panel']} hidden={opened === null}>
        {opened === 'saved' && <Saved value={value} onValue={onValue} />}
        {opened === 'name' && <NamePanel picked={fields?.get(opened) ?? []} onPick={pick} />}
        {opened !== null && opened !== 'saved' && opened !== 'name' && (
          <GroupPanel key={opened} by={opened} picked={fields?.get(opened) ?? []} onPick={pick} />
        )}
      </div>
      <div id={`${id}-text`} hidden={!isTextOpen}>
        <TextArea
          label={whole?.label ?? 'Selector'}
          hint={hint}
          wrong={wrong}
          className="input selector-text"
          value={whole?.selector ?? value}
          onChange={(event) => {
            setText(true); // it does not close when clicks could say what is typed
            (whole?.onSelector ?? onValue)(event.target.value);
          }}
        />
      </div>
      <ChosenCount
        selector={whole ? whole.selector : value.trim() === '' && emptyIsAll ? 'all' : value}
        none={whole?.none ?? choices.find(([selector]) => selector === '')?.[1] ?? 'No devices are chosen.'}
        permission={permission}
        locked={props.locked}
        among={whole && whole.selector !== value ? value.trim() || 'all' : undefined}
      />
    </div>
  );
}

interface OpenerProps {
  isOpen: boolean;
  panel: string;
  onClick: () => void;
}

/** Opens a group, and names what of it is chosen. */
function Opener({ title, picked, ...rest }: OpenerProps & { title: string; picked: readonly string[] }): ReactNode {
  return (
    <OpenerButton isOn={picked.length > 0} {...rest}>
      {title}
      {picked.length > 0 && ': '}
      {picked.length > NAMED
        ? `${numberText(picked.length)} chosen`
        : picked.map((term, at) => (
            <span key={term}>
              {at > 0 && ', '}
              <TermText term={term} />
            </span>
          ))}
    </OpenerButton>
  );
}

function OpenerButton({
  isOn,
  isOpen,
  panel,
  onClick,
  children,
}: OpenerProps & { isOn: boolean; children: ReactNode }) {
  return (
    <button
      type="button"
      className={styles['opener']}
      data-on={isOn || undefined}
      aria-expanded={isOpen}
      aria-controls={panel}
      onClick={onClick}
    >
      <span className="foreign cut">{children}</span>
      <Icon name="down" />
    </button>
  );
}

/** It is there where a selector is saved. */
function SavedOpener({ value, ...rest }: OpenerProps & { value: string }): ReactNode {
  const { data } = useQuery(savedQuery);
  const name = /^@(\S+)$/.exec(value.trim())?.[1];
  if (name === undefined && !data?.items.length) return null;
  return (
    <OpenerButton isOn={name !== undefined} {...rest}>
      Saved{name !== undefined && `: ${name}`}
    </OpenerButton>
  );
}

const savedQuery = queryOptions({
  queryKey: KEYS.selectors.all,
  queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
  staleTime: 60_000,
});

function Saved({ value, onValue }: { value: string; onValue: (selector: string) => void }): ReactNode {
  const { data, error } = useQuery(savedQuery);
  if (error) return <p className="small quiet">{unreadChoices(error)}</p>;
  if (!data) return <span className="awaited" aria-busy="true" />;
  return (
    <Chips label="Devices by a saved selector">
      {data.items.map(({ name }) => (
        <Chip key={name} isOn={value.trim() === `@${name}`} onClick={() => onValue(`@${name}`)}>
          {name}
        </Chip>
      ))}
    </Chips>
  );
}
