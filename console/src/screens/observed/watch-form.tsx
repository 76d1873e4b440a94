import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { readNumber } from '../../api/number-text.js';
import { fieldError } from '../../api/problems.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextArea, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { usePrice, WatchPrice } from './watch-price.js';

type Watch = Schema<'ListedWatch'>;

/** As the API takes them. */
const EVERY = { min: 60, max: 86_400, isWhole: true };
const PATHS_MAX = 50;
const DAY_S = 86_400;

interface Form {
  readonly name: string;
  readonly selector: string;
  readonly paths: string;
  readonly every: string;
  readonly enabled: boolean;
}

const formOf = (watch: Watch | null): Form => ({
  name: watch?.name ?? '',
  selector: watch?.selector ?? '',
  paths: watch?.paths.join('\n') ?? '',
  every: String(watch?.everySeconds ?? DAY_S),
  enabled: watch?.enabled ?? true,
});

/** Creates or changes a watch; its price is shown as it is typed. @param watch null: a new one */
export function WatchForm({ watch, onClose }: { watch: Watch | null; onClose: () => void }): ReactNode {
  const [form, setForm] = useState(() => formOf(watch));
  const every = readNumber(form.every, EVERY);
  const priced = usePriced(form, every.value);
  const price = usePrice(useDeferredValue(priced));
  const body = { ...priced!, name: form.name.trim(), enabled: form.enabled };
  const save = useSave(watch, body, onClose);
  const text = (field: 'name' | 'selector' | 'paths' | 'every', sent: string, wrong: string | null = null) => ({
    value: form[field],
    wrong: wrong ?? fieldError(save.error, sent),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <FormDialog
      title={watch ? 'Change the watch' : 'New watch'}
      send={watch ? 'Save watch' : 'Create watch'}
      busy={save.isPending}
      disabled={!priced || form.name.trim() === '' || !price.data || price.isPlaceholderData}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="accounts" autoFocus disabled={watch !== null} {...text('name', 'name')} />
      <TextField
        label="Devices"
        hint="A selector, such as tag:pump; all is every device"
        placeholder="all"
        spellCheck={false}
        {...text('selector', 'selector')}
      />
      <TextArea
        label="Paths"
        hint={`One on each line, at most ${PATHS_MAX}. A path of configuration, as the API tab of a device has it`}
        placeholder="/api/users/config"
        rows={4}
        {...text('paths', 'paths')}
      />
      <TextField
        label="Seconds between two passes"
        inputMode="numeric"
        hint="86400 is once a day. Up to 240, or at least 900"
        {...text('every', 'everySeconds', every.wrong)}
      />
      <CheckField
        label="Read these devices"
        checked={form.enabled}
        onChange={(event) => setForm({ ...form, enabled: event.target.checked })}
      />
      <WatchPrice price={price} />
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

/** What a price can be asked for; null: something is missing. */
function usePriced({ selector, paths }: Form, everySeconds: number | null): Schema<'PriceWatch'> | null {
  return useMemo(() => {
    const lines = paths.split('\n').flatMap((line) => line.trim() || []);
    const isComplete = selector.trim() !== '' && lines.length > 0 && lines.length <= PATHS_MAX;
    return isComplete && everySeconds !== null ? { selector: selector.trim(), paths: lines, everySeconds } : null;
  }, [selector, paths, everySeconds]);
}

const LABELS = { name: 'Name', selector: 'Selector', paths: 'Paths', everySeconds: 'Every', enabled: 'Enabled' };

function useSave(watch: Watch | null, body: Schema<'CreateWatch'>, onClose: () => void) {
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
