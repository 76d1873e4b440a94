import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';

/** New hardware takes the place of a device: it keeps the name, the tags, the policies and the history. */
export function ReplaceHardware({
  device: { id, name, baseUrl },
  onClose,
}: {
  device: Schema<'Device'>;
  onClose: () => void;
}): ReactNode {
  const [form, setForm] = useState({ serial: '', baseUrl, username: 'admin', password: '' });
  const shown: Schema<'ReplaceDevice'> = {
    ...(form.serial ? { serial: form.serial } : {}),
    ...(form.baseUrl === baseUrl ? {} : { baseUrl: form.baseUrl }),
    trust: { mode: 'pin' },
  };
  const credentials = { username: form.username, password: form.password };
  const replace = useAction({
    run: () =>
      api.post('/v1/devices/{ref}/replace', { params: { path: { ref: id } }, body: { ...shown, credentials } }),
    done: 'The hardware is replaced',
    refreshes: ['devices', 'device'],
    after: onClose,
    quiet: true,
  });
  const field = (key: keyof typeof form) => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [key]: event.target.value }),
  });
  return (
    <FormDialog
      title={`Replace the hardware of ${name}`}
      send="Replace"
      danger
      busy={replace.isPending}
      disabled={!form.username || !form.password}
      missing={[!form.username && 'a user name', !form.password && 'a password']}
      onSend={() => replace.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        The new router keeps the name, tags, site, fields, policies and history. Its login is asked for again, and its
        certificate is remembered at the first contact. The old serial number can still be searched for.
      </p>
      <TextField label="New serial number" hint="Empty: learned at the first login" autoFocus {...field('serial')} />
      <TextField label="Address" {...field('baseUrl')} />
      <TextField label="User name on the device" autoComplete="off" {...field('username')} />
      <TextField label="Password on the device" type="password" autoComplete="new-password" {...field('password')} />
      {replace.error ? <Failure error={replace.error} /> : null}
      <EquivalentLines
        command={`device replace id:${id}`}
        method="POST"
        path={`/v1/devices/${id}/replace`}
        body={shown}
      />
    </FormDialog>
  );
}
