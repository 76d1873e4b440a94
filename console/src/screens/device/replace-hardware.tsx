import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { PasswordField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';

/** New hardware takes the place of a device: it keeps the name, the tags, the policies and the history. */
export function ReplaceHardware({
  device: { id, name, baseUrl, credentials: known },
  onClose,
}: {
  device: Schema<'Device'>;
  onClose: () => void;
}): ReactNode {
  const [form, setForm] = useState({ serial: '', baseUrl, username: known?.username ?? '', password: '' });
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
      <p className="quiet">
        The settings of the old router are not copied. <BackupAfter deviceId={id} />
      </p>
      <TextField label="New serial number" hint="Empty: learned at the first login" autoFocus {...field('serial')} />
      <TextField label="Address" {...field('baseUrl')} />
      <TextField label="User name on the device" autoComplete="off" {...field('username')} />
      <PasswordField label="Password on the device" autoComplete="new-password" {...field('password')} />
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

/** What brings the settings to the new router. */
function BackupAfter({ deviceId }: { deviceId: string }): ReactNode {
  const mayRead = useMay('artifact.read');
  const { rows, isLoading } = useList('/v1/artifacts', {
    key: KEYS.artifacts.of(deviceId),
    query: { kind: 'backup', device: deviceId, limit: 1 },
    enabled: mayRead,
  });
  const [last] = rows;
  if (!mayRead || isLoading) return null;
  if (!last) return 'There is no backup of it that could be restored afterwards.';
  return (
    <>
      Its last backup, made <Ago at={last.createdAt} />, can be restored afterwards, under{' '}
      <To to="." search={{ tab: 'backups' }}>
        Backups
      </To>
      .
    </>
  );
}
