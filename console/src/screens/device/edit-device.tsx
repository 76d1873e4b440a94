import { type ComponentProps, type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { shellWord } from '../../api/equivalents.js';
import { fieldError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { PasswordField, TextArea, TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { AddressField } from '../devices/adding/address-field.js';
import { takenError } from '../devices/adding/use-taken.js';
import { CustomFields } from './custom-fields.js';
import { changeOf, type EditForm, type FieldChanges, formOf, missingOf } from './device-change.js';

type Device = Schema<'Device'>;

const LABELS = {
  name: 'Name',
  baseUrl: 'Address',
  spareUrl: 'Spare address',
  site: 'Site',
  tags: 'Tags',
  timeZone: 'Time zone',
  note: 'Note',
  fields: 'Custom fields',
};

/** Changes where a device is, and what people say about it. Only what was changed is sent. */
export function EditDevice({ device: shown, onClose }: { device: Device; onClose: () => void }): ReactNode {
  const [device] = useState(shown); // the screen behind follows the gateway
  const params = { path: { ref: device.id } };
  const [form, setForm] = useState(() => formOf(device));
  const [fields, setFields] = useState<FieldChanges>({});
  const body = changeOf(device, form, fields);
  const missing = missingOf(body, form, fields);
  const send = useUnchanged(device, LABELS, () => api.answer('get', '/v1/devices/{ref}', { params }));
  const save = useAction({
    run: () => send((header) => api.patch('/v1/devices/{ref}', { params: { ...params, header }, body })),
    done: 'The device is changed',
    refreshes: ['devices', 'device'],
    after: onClose,
    quiet: true,
  });
  const set = (name: keyof EditForm) => (value: string) => setForm({ ...form, [name]: value });
  const field = (name: keyof EditForm) => ({
    value: form[name],
    wrong: fieldError(save.error, name) ?? takenError(save.error, name),
    onChange: (event: { target: { value: string } }) => set(name)(event.target.value),
  });
  const address = (name: 'baseUrl' | 'spareUrl') => ({
    field: name,
    value: form[name],
    onValue: set(name),
    error: save.error,
    isOwn: save.isPending || save.isSuccess || body[name] === undefined,
  });
  return (
    <FormDialog
      title={`Edit ${device.name}`}
      size="wide"
      send="Save"
      busy={save.isPending}
      disabled={missing.some(Boolean)}
      missing={missing}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <div className="columns">
        <TextField label="Name" autoFocus {...field('name')} />
        <TextField label="Site" placeholder="vilnius/plant-2" {...field('site')} />
        <AddressField label="Address" hint={HINTS[device.trust.mode]} {...address('baseUrl')} />
        <AddressField
          label="Spare address"
          hint="Where calls go while the address does not answer"
          {...address('spareUrl')}
        />
      </div>
      {body.baseUrl !== undefined && device.credentials && (
        <LoginThere username={field('username')} password={field('password')} />
      )}
      <div className="columns">
        <TextField label="Time zone" placeholder="Europe/Vilnius" {...field('timeZone')} />
        <TextField label="Tags" hint="With commas between them" {...field('tags')} />
      </div>
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
        body={body.credentials ? { ...body, credentials: { ...body.credentials, password: '…' } } : body}
      />
    </FormDialog>
  );
}

const COMPARED = 'Where the gateway reaches it. Its certificate is compared.';

const HINTS = { pin: COMPARED, ca: COMPARED, insecure: 'Where the gateway reaches it' } as const;

type TypedText = Pick<ComponentProps<typeof TextField>, 'value' | 'wrong' | 'onChange'>;

/** A password belongs to one address: the gateway sends the stored one to no other, and forgets it. */
function LoginThere({ username, password }: Readonly<Record<'username' | 'password', TypedText>>): ReactNode {
  if (!useMay('device.trust'))
    return (
      <Notice tone="warn">
        The gateway forgets the login of the old address. Calls fail until a person who may sets it again.
      </Notice>
    );
  return (
    <>
      <p className="quiet">The gateway forgets the login of the old address: give it again.</p>
      <div className="columns">
        <TextField label="User name on the device" autoComplete="off" {...username} />
        <PasswordField
          label="Password on the device"
          autoComplete="new-password"
          hint="Empty: calls and jobs fail until the login is set"
          {...password}
        />
      </div>
    </>
  );
}

function commandOf(
  id: string,
  { name, baseUrl, spareUrl, site, note, tags, timeZone, fields = {} }: Schema<'ChangeDevice'>,
): string {
  const addresses = { 'base-url': baseUrl, 'spare-url': spareUrl };
  const texts = { rename: name, ...addresses, site, note, tags: tags?.join(','), 'time-zone': timeZone };
  const flags = Object.entries(texts).filter(([, text]) => typeof text === 'string');
  const custom = Object.entries(fields).map(([key, value]) => `--set ${shellWord(`fields.${key}=${value}`)}`);
  return [`device edit id:${id}`, ...flags.map(([flag, text]) => `--${flag} ${shellWord(text ?? '')}`), ...custom].join(
    ' ',
  );
}
