import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { CheckField, SelectField, TextField } from '../../../ui/field.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { valueText } from '../item-words.js';
import styles from './draft.module.css';
import { type DraftItem } from './draft-items.js';
import { type FoundSetting, itemOf, presentText, searched, settingsAt } from './found-settings.js';

/** Sections that are read of each service. */
const READ = 300;

/** More than these are found by a search. */
const SHOWN = 30;

/** The sections of a service on the devices of a selector. */
export const sectionsAt = (path: string, selector: string) => ({
  queryKey: [...KEYS.observed.matrix, path, selector, 'sections'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get('/v1/observed/matrix', { params: { query: { path, selector, limit: READ } }, signal }),
  refetchOnWindowFocus: false,
});

interface ChooseSettingsProps {
  /** The services that watches read. */
  readonly paths: readonly string[];
  /** Whose values are shown. */
  readonly selector: string;
  readonly onItems: (items: readonly DraftItem[]) => void;
}

/** Settings by their titles and the values that devices have now; a tick takes one, with the value that most have. */
export function ChooseSettings({ paths, selector, onItems }: ChooseSettingsProps): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, DraftItem>>(new Map());
  const reads = useQueries({ queries: paths.map((path) => sectionsAt(path, selector)) });
  const rows = reads.map(({ data }) => data?.items ?? []);
  const version = reads.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the rows are others where the times of reading are
  const settings = useMemo(() => paths.flatMap((path, at) => settingsAt(path, rows[at]!)), [paths, version]);
  const failed = reads.find(({ error }) => error);
  if (failed?.error) return <Failure error={failed.error} onRetry={() => void failed.refetch()} />;
  if (reads.some(({ isPending }) => isPending)) return <Loading what="Reading what the devices have" />;
  const choose = (setting: FoundSetting, item: DraftItem | null) => {
    const next = new Map(chosen);
    if (item) next.set(setting.id, item);
    else next.delete(setting.id);
    setChosen(next);
    onItems([...next.values()]);
  };
  const found = searched(settings, text);
  const devices = new Set(rows.flatMap((some) => some.map(({ deviceId }) => deviceId))).size;
  const isPart = reads.some(({ data }) => data?.next);
  return (
    <>
      <TextField
        label="Search the settings"
        type="search"
        placeholder="time server, host name, APN"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="small quiet">
        {devices === 0
          ? 'No device was read there so far: the values are typed in the draft.'
          : `With what ${isPart ? 'the first ' : ''}${countText(devices, 'device')} ${devices === 1 ? 'has' : 'have'} now.`}{' '}
        A secret is added as JSON.
      </p>
      {found.length === 0 && <p>No setting has these words.</p>}
      <ul className={styles['settings']} aria-label="Settings">
        {found.slice(0, SHOWN).map((setting) => (
          <Setting
            key={setting.id}
            of={setting}
            item={chosen.get(setting.id)}
            onItem={(item) => choose(setting, item)}
          />
        ))}
      </ul>
      {found.length > SHOWN && (
        <p className="small quiet">and {countText(found.length - SHOWN, 'further setting')}: search for fewer.</p>
      )}
    </>
  );
}

interface SettingProps {
  readonly of: FoundSetting;
  readonly item: DraftItem | undefined;
  readonly onItem: (item: DraftItem | null) => void;
}

function Setting({ of, item, onItem }: SettingProps): ReactNode {
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
      {item === undefined || values.length === 0 ? (
        <span className="small quiet foreign">{presentText(of)}</span>
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
