import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { PasswordField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';

/** Sets the login that the gateway uses on a device. The password is sealed and never shown. */
export function SetLogin({
  device: { id, name, credentials },
  onClose,
}: {
  device: Schema<'Device'>;
  onClose: () => void;
}): ReactNode {
  const [username, setUsername] = useState(credentials?.username ?? 'admin');
  const [password, setPassword] = useState('');
  const save = useAction({
    run: () =>
      api.put('/v1/devices/{ref}/credentials', { params: { path: { ref: id } }, body: { username, password } }),
    done: 'The login is set',
    refreshes: ['device', 'devices'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Set the login of ${name}`}
      send="Set login"
      busy={save.isPending}
      disabled={!username || !password}
      missing={[!username && 'a user name', !password && 'a password']}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        The device is not changed: give the login that it has. The next call or job tries it. A password that the device
        refuses is not sent again until you set another one or end the sessions.
      </p>
      <TextField
        label="User name on the device"
        autoComplete="off"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <PasswordField
        label="Password on the device"
        autoComplete="new-password"
        value={password}
        autoFocus
        onChange={(event) => setPassword(event.target.value)}
      />
      {save.error ? <Failure error={save.error} /> : null}
      <EquivalentLines
        command={`device credentials id:${id}`}
        method="PUT"
        path={`/v1/devices/${id}/credentials`}
        body={{ username, password: '…' }}
      />
    </FormDialog>
  );
}
