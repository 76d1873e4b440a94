import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { fieldError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextArea, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { CustomFields, type FieldChanges, hasWrongNumber } from './custom-fields.js';

type Device = Schema<'Device'>;

const tagsOf = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean);

const LABELS = {
  name: 'Name',
  spareUrl: 'Spare address',
  site: 'Site',
  tags: 'Tags',
  timeZone: 'Time zone',
  note: 'Note',
  fields: 'Custom fields',
};

/** Changes what people say about a device. Only what was changed is sent. */
export function EditDevice({ device: shown, onClose }: { device: Device; onClose: () => void }): ReactNode {
  const [device] = useState(shown); // the screen behind follows the gateway
  const params = { path: { ref: device.id } };
  const first = {
    name: device.name,
    spareUrl: device.spareUrl ?? '',
    site: device.site,
    tags: device.tags.join(', '),
    timeZone: device.timeZone ?? '',
    note: device.note,
  };
  const [form, setForm] = useState(first);
  const [fields, setFields] = useState<FieldChanges>({});
  const body: Schema<'ChangeDevice'> = {
    ...(form.name === first.name ? {} : { name: form.name }),
    ...(form.spareUrl === first.spareUrl ? {} : { spareUrl: form.spareUrl || null }),
    ...(form.site === first.site ? {} : { site: form.site }),
    ...(form.tags === first.tags ? {} : { tags: tagsOf(form.tags) }),
    ...(form.timeZone === first.timeZone ? {} : { timeZone: form.timeZone || null }),
    ...(form.note === first.note ? {} : { note: form.note }),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
  };
  const send = useUnchanged(device, LABELS, () => api.answer('get', '/v1/devices/{ref}', { params }));
  const save = useAction({
    run: () => send((header) => api.patch('/v1/devices/{ref}', { params: { ...params, header }, body })),
    done: 'The device is changed',
    refreshes: ['devices', 'device'],
    after: onClose,
    quiet: true,
  });
  const field = (name: keyof typeof form) => ({
    value: form[name],
    wrong: fieldError(save.error, name),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={`Edit ${device.name}`}
      size="wide"
      send="Save"
      busy={save.isPending}
      disabled={Object.keys(body).length === 0 || hasWrongNumber(fields)}
      missing={[Object.keys(body).length === 0 && 'a change', hasWrongNumber(fields) && 'a number']}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <div className="columns">
        <TextField label="Name" autoFocus {...field('name')} />
        <TextField label="Site" placeholder="vilnius/plant-2" {...field('site')} />
        <TextField
          label="Spare address"
          hint="Where calls go while the address does not answer"
          placeholder="https://198.51.100.7"
          {...field('spareUrl')}
        />
        <TextField label="Time zone" placeholder="Europe/Vilnius" {...field('timeZone')} />
      </div>
      <TextField label="Tags" hint="With commas between them" {...field('tags')} />
      <TextArea
        label="Note"
        className="input prose"
        hint="What people should know; not for secrets"
        {...field('note')}
      />
      <div className="columns">
        <CustomFields values={device.fields} changes={fields} onChange={setFields} />
      </div>
      {save.error ? <Failure error={save.error} /> : null}
      <EquivalentLines
        command={commandOf(device.id, body)}
        method="PATCH"
        path={`/v1/devices/${device.id}`}
        body={body}
      />
    </FormDialog>
  );
}

function commandOf(
  id: string,
  { name, spareUrl, site, note, tags, timeZone, fields = {} }: Schema<'ChangeDevice'>,
): string {
  const texts = { rename: name, site, note, tags: tags?.join(','), 'time-zone': timeZone, 'spare-url': spareUrl };
  const flags = Object.entries(texts).filter(([, text]) => typeof text === 'string');
  const custom = Object.entries(fields).map(([key, value]) => `--set ${shellWord(`fields.${key}=${value}`)}`);
  return [`device edit id:${id}`, ...flags.map(([flag, text]) => `--${flag} ${shellWord(text ?? '')}`), ...custom].join(
    ' ',
  );
}
