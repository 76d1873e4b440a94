import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { Confirm } from '../../../ui/confirm.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { SelectField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { MadeKey } from './made-key.js';

const OVERLAPS = [
  ['0', 'at once'],
  ['1', 'after 1 hour'],
  ['24', 'after a day'],
  ['168', 'after a week'],
] as const;

interface OfKey {
  apiKey: Schema<'ApiKey'>;
  /** The key of another person. */
  isOther: boolean;
  onClose: () => void;
}

/** Issues a key in the place of another one, which works a little longer. */
export function RotateKey({ apiKey: { id, name }, isOther, onClose }: OfKey): ReactNode {
  const [hours, setHours] = useState('24');
  const [made, setMade] = useState<Schema<'IssuedApiKey'> | null>(null);
  const body = { overlapHours: Number(hours) };
  const params = { path: { keyId: id } };
  const rotate = useAction({
    run: () =>
      isOther
        ? api.post('/v1/api-keys/{keyId}/rotate', { params, body })
        : api.post('/v1/self/api-keys/{keyId}/rotate', { params, body }),
    done: 'The key is replaced',
    refreshes: ['keys'],
    after: setMade,
    quiet: true,
  });
  if (made) return <MadeKey made={made} onClose={onClose} />;
  return (
    <FormDialog
      title={`Replace the key ${name}`}
      send="Issue the new key"
      busy={rotate.isPending}
      onSend={() => rotate.mutate()}
      onClose={onClose}
    >
      <p className="quiet">The new key has the same name, rights and limits.</p>
      <SelectField
        label="The old key ends"
        value={hours}
        options={OVERLAPS}
        onChange={(event) => setHours(event.target.value)}
      />
      {rotate.error ? <Failure error={rotate.error} /> : null}
      <EquivalentLines
        command={`key ${isOther ? 'rotate' : 'rotate-own'} ${id} --overlap-hours ${hours}`}
        method="POST"
        path={`/v1/${isOther ? '' : 'self/'}api-keys/${id}/rotate`}
        body={body}
      />
    </FormDialog>
  );
}

export function RevokeKey({ apiKey: { id, name }, isOther, onClose }: OfKey): ReactNode {
  const params = { params: { path: { keyId: id } } };
  const revoke = useAction({
    run: () => (isOther ? api.delete('/v1/api-keys/{keyId}', params) : api.delete('/v1/self/api-keys/{keyId}', params)),
    done: 'The key is revoked',
    refreshes: ['keys'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Revoke the key ${name}`}
      send="Revoke key"
      typed={name}
      busy={revoke.isPending}
      equivalent={{
        command: `key ${isOther ? 'revoke' : 'revoke-own'} ${id} --yes`,
        method: 'DELETE',
        path: `/v1/${isOther ? '' : 'self/'}api-keys/${id}`,
      }}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs with this key are refused at once, by every process. A revoked key cannot be given back.
    </Confirm>
  );
}
