import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { CheckField, SelectField, TextField } from '../../../ui/field.js';
import { valueText } from '../item-words.js';
import styles from './draft.module.css';
import { type DraftItem } from './draft-items.js';
import { type FoundSetting, itemOf, nowText, presentText, searched } from './found-settings.js';

/** More than these are found by a search. */
const SHOWN = 30;

/** So few settings of one device are seen without a search. */
const SHORT = 8;

interface SettingListProps {
  readonly settings: readonly FoundSetting[];
  /** Whose values they are, and what is typed elsewhere. */
  readonly note: string;
  /** Of one device: its value is beside each, and the new one is typed in the form. */
  readonly isOfOne?: boolean;
  readonly onItems: (items: readonly DraftItem[], settings: readonly FoundSetting[]) => void;
}

/** Settings by their titles, with a search; a tick takes one, with the value that most devices have. */
export function SettingList({ settings, note, isOfOne = false, onItems }: SettingListProps): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, DraftItem>>(new Map());
  const choose = (setting: FoundSetting, item: DraftItem | null) => {
    const next = new Map(chosen);
    if (item) next.set(setting.id, item);
    else next.delete(setting.id);
    setChosen(next);
    onItems(
      [...next.values()],
      settings.filter(({ id }) => next.has(id)),
    );
  };
  const found = searched(settings, text);
  return (
    <>
      {(!isOfOne || settings.length > SHORT) && (
        <TextField
          label="Search the settings"
          type="search"
          placeholder={isOfOne ? 'host name' : 'time server, host name, APN'}
          autoFocus={!isOfOne}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            // It may be within a larger form, which Enter would send.
            if (isOfOne && event.key === 'Enter') event.preventDefault();
          }}
        />
      )}
      <p className="small quiet">{note}</p>
      {found.length === 0 ? (
        <p>No setting has these words.</p>
      ) : (
        <ul className={styles['settings']} aria-label="Settings">
          {found.slice(0, SHOWN).map((setting) => (
            <Setting
              key={setting.id}
              of={setting}
              item={chosen.get(setting.id)}
              isOfOne={isOfOne}
              onItem={(item) => choose(setting, item)}
            />
          ))}
        </ul>
      )}
      {found.length > SHOWN && (
        <p className="small quiet">and {countText(found.length - SHOWN, 'further setting')}: search for fewer.</p>
      )}
    </>
  );
}

interface SettingProps {
  readonly of: FoundSetting;
  readonly item: DraftItem | undefined;
  readonly isOfOne: boolean;
  readonly onItem: (item: DraftItem | null) => void;
}

function Setting({ of, item, isOfOne, onItem }: SettingProps): ReactNode {
  const { title, tokens, path, option, values } = of;
  const taken = JSON.stringify(item?.options[option]);
  return (
    <li>
      <span title={tokens}>
        <CheckField
          label={<span className="foreign">{title}</span>}
          checked={item !== undefined}
          onChange={({ target }) => onItem(target.checked ? itemOf(of, values[0]?.value ?? '') : null)}
        />
      </span>
      {isOfOne || item === undefined || values.length === 0 ? (
        <span className="small quiet foreign">{isOfOne ? nowText(of) : presentText(of)}</span>
      ) : (
        <SelectField
          label="Should be"
          aria-label={`${title} should be`}
          value={taken}
          options={[
            ...values.map(
              ({ value, devices }) =>
                [JSON.stringify(value), `${valueText(path, option, value)} (${countText(devices, 'device')})`] as const,
            ),
            ['""', 'another value, typed in the draft'] as const,
          ].filter(([value], at, all) => all.findIndex(([one]) => one === value) === at)}
          onChange={(event) => onItem(itemOf(of, JSON.parse(event.target.value) as string | string[]))}
        />
      )}
    </li>
  );
}
