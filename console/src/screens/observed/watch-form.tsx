import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { fieldError, selectorError } from '../../api/problems.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { Chip, Chips } from '../../ui/devices/chips.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextArea, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { EveryField } from '../schedules/every-field.js';
import { menuGroup, titleAmong } from './path-words.js';
import { watchesQuery } from './place.js';
import { usePrice, WatchPrice } from './watch-price.js';

type Watch = Schema<'ListedWatch'>;

/** As the API takes them. */
const PATHS_MAX = 50;
const DAY_S = 86_400;

interface Form {
  readonly name: string;
  readonly selector: string;
  readonly paths: string;
  readonly every: number;
  readonly enabled: boolean;
}

const formOf = (watch: Watch | null): Form => ({
  name: watch?.name ?? '',
  selector: watch?.selector ?? '',
  paths: watch?.paths.join('\n') ?? '',
  every: watch?.everySeconds ?? DAY_S,
  enabled: watch?.enabled ?? true,
});

/** Creates or changes a watch; its price is shown as it is typed. @param watch null: a new one */
export function WatchForm({ watch, onClose }: { watch: Watch | null; onClose: () => void }): ReactNode {
  const [form, setForm] = useState(() => formOf(watch));
  const priced = usePriced(form);
  const known = useKnownPaths();
  const [isOther] = useState(() => linesOf(form.paths).some((line) => !known.includes(line)));
  const price = usePrice(useDeferredValue(priced));
  const body = { ...priced!, name: form.name.trim(), enabled: form.enabled };
  const save = useSaveWatch(watch, body, onClose);
  const text = (field: 'name' | 'paths') => ({
    value: form[field],
    wrong: fieldError(save.error, field),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <FormDialog
      title={watch ? 'Change the watch' : 'New watch'}
      send={watch ? 'Save watch' : 'Create watch'}
      busy={save.isPending}
      disabled={!priced || form.name.trim() === '' || !price.data || price.isPlaceholderData}
      missing={[
        form.name.trim() === '' && 'a name',
        form.selector.trim() === '' && 'devices',
        form.paths.trim() === '' && 'what is read',
      ]}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="accounts" autoFocus disabled={watch !== null} {...text('name')} />
      <SelectorChoice
        value={form.selector}
        wrong={selectorError(save.error)}
        onValue={(selector) => setForm({ ...form, selector })}
      />
      <Known known={known} paths={form.paths} onPaths={(paths) => setForm({ ...form, paths })} />
      <details className="equivalent" open={isOther || known.length === 0 || undefined}>
        <summary className="small quiet">Other paths</summary>
        <TextArea
          label="Paths"
          hint={`Those chosen above and others, one on each line; at most ${PATHS_MAX}`}
          placeholder="/api/users/config"
          rows={4}
          {...text('paths')}
        />
      </details>
      <EveryField
        label="How often"
        hint="Settings change rarely: once a day is usual"
        value={form.every}
        onValue={(every) => setForm({ ...form, every })}
        wrong={fieldError(save.error, 'everySeconds')}
      />
      <WatchPrice price={price} />
      <CheckField
        label="Enabled"
        checked={form.enabled}
        onChange={(event) => setForm({ ...form, enabled: event.target.checked })}
      />
      {save.error ? <Failure error={save.error} /> : null}
      <EquivalentLines
        command={watch ? `watch replace ${watch.name} -f watch.yaml` : 'watch add NAME -f watch.yaml'}
        method={watch ? 'PUT' : 'POST'}
        path={`/v1/watches${watch ? `/${watch.name}` : ''}`}
        body={body}
      />
    </FormDialog>
  );
}

/** What the watches read now. */
function useKnownPaths(): readonly string[] {
  const { data } = useQuery(watchesQuery);
  return [...new Set((data?.items ?? []).flatMap((watch) => watch.paths))];
}

interface KnownProps {
  known: readonly string[];
  paths: string;
  onPaths: (paths: string) => void;
}

/** What other watches read, by its name: a click takes it, or takes it out. */
function Known({ known, paths, onPaths }: KnownProps): ReactNode {
  const lines = linesOf(paths);
  if (known.length === 0) return null;
  return (
    <div className="field">
      <span>What is read</span>
      {[...new Set(known.map(menuGroup))].map((group) => (
        <Chips key={group} label={`${group}, by one click`}>
          <span className="small quiet">{group}</span>
          {known
            .filter((path) => menuGroup(path) === group)
            .map((path) => (
              <Chip
                key={path}
                isOn={lines.includes(path)}
                onClick={() =>
                  onPaths((lines.includes(path) ? lines.filter((line) => line !== path) : [...lines, path]).join('\n'))
                }
              >
                {titleAmong(path, known)}
              </Chip>
            ))}
        </Chips>
      ))}
    </div>
  );
}

const linesOf = (paths: string): string[] => paths.split('\n').flatMap((line) => line.trim() || []);

/** What a price can be asked for; null: something is missing. */
function usePriced({ selector, paths, every }: Form): Schema<'PriceWatch'> | null {
  return useMemo(() => {
    const lines = linesOf(paths);
    const isComplete = selector.trim() !== '' && lines.length > 0 && lines.length <= PATHS_MAX;
    return isComplete ? { selector: selector.trim(), paths: lines, everySeconds: every } : null;
  }, [selector, paths, every]);
}

const LABELS = { name: 'Name', selector: 'Selector', paths: 'Paths', everySeconds: 'Every', enabled: 'Enabled' };

/** Saves a watch as it is typed, or turned on. */
export function useSaveWatch(watch: Watch | null, body: Schema<'CreateWatch'>, onClose: () => void) {
  const path = { watchName: watch?.name ?? '' };
  const address = '/v1/watches/{watchName}';
  const send = useUnchanged(watch, LABELS, () => api.answer('get', address, { params: { path } }));
  return useAction({
    run: () =>
      watch
        ? send((header) => api.put(address, { params: { path, header }, body }))
        : api.post('/v1/watches', { body }),
    done: watch ? 'The watch is changed; it reads in your name' : 'Watch created; it reads in your name',
    refreshes: ['watches', 'observed'],
    after: onClose,
    quiet: true,
  });
}
