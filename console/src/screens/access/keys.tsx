import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines, Line } from '../../ui/equivalent.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Ago, useNow } from '../../ui/time.js';

type Key = Schema<'ApiKey'>;

const DAY_MS = 86_400_000;
const LENGTHS = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
] as const;

/** The own keys for programs. */
export function Keys(): ReactNode {
  const [open, setOpen] = useState<Key | 'new' | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => api.get('/v1/self/api-keys', { signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <div className="stack">
      <div>
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          Issue a key
        </Button>
      </div>
      {data.items.length === 0 ? (
        <div className="card">
          <Empty title="You have no keys" command="fleetgate key issue-own laptop">
            A key lets a program act in your name, with your rights or fewer.
          </Empty>
        </div>
      ) : (
        <KeyTable keys={data.items} onRevoke={setOpen} />
      )}
      {open === 'new' && <IssueKey onClose={() => setOpen(null)} />}
      {open && open !== 'new' && <RevokeKey apiKey={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function KeyTable({ keys, onRevoke }: { keys: readonly Key[]; onRevoke: (key: Key) => void }): ReactNode {
  return (
    <Table
      label="Your keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { title: 'Name', cell: ({ name }) => <span className="foreign cut">{name}</span> },
        { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
        { title: 'State', cell: (key) => <KeyState of={key} /> },
        { title: 'Made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        { title: 'Ends', cell: ({ expiresAt }) => (expiresAt ? <Ago at={expiresAt} /> : 'never') },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
        {
          title: '',
          cell: (key) =>
            key.revokedAt === null && (
              <span className="row end">
                <Button onClick={() => onRevoke(key)}>Revoke</Button>
              </span>
            ),
        },
      ]}
    />
  );
}

function KeyState({ of: { revokedAt, expiresAt } }: { of: Key }): ReactNode {
  const now = useNow();
  if (revokedAt) return <Mark tone="plain">Revoked</Mark>;
  if (expiresAt && new Date(expiresAt).getTime() < now) return <Mark tone="plain">Expired</Mark>;
  return <Mark tone="good">Works</Mark>;
}

function IssueKey({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<Schema<'IssuedApiKey'> | null>(null);
  const now = useNow();
  const expiresAt = days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString();
  const body = { name, ...(expiresAt === null ? {} : { expiresAt }) };
  const issue = useAction({
    run: () => api.post('/v1/self/api-keys', { body: { ...body, allowedAddresses: [] } }),
    done: 'The key is issued',
    refreshes: ['keys'],
    after: setMade,
    quiet: true,
  });
  if (made) {
    return (
      <Dialog title={`The key ${made.name}`} onClose={onClose}>
        <div className="dialog-body">
          <p className="quiet">Copy it now: it is shown only here, and stored as a digest.</p>
          <Line text={made.key} />
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Issue a key"
      send="Issue"
      busy={issue.isPending}
      disabled={!name.trim()}
      onSend={() => issue.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What it is for"
        value={name}
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="Ends" value={days} options={LENGTHS} onChange={(event) => setDays(event.target.value)} />
      {issue.error ? <Failure error={issue.error} /> : null}
      <EquivalentLines
        command={`key issue-own ${shellWord(name || 'NAME')}${expiresAt === null ? '' : ` --expires-at ${expiresAt}`}`}
        method="POST"
        path="/v1/self/api-keys"
        body={body}
      />
    </FormDialog>
  );
}

function RevokeKey({ apiKey: { id, name }, onClose }: { apiKey: Key; onClose: () => void }): ReactNode {
  const revoke = useAction({
    run: () => api.delete('/v1/self/api-keys/{keyId}', { params: { path: { keyId: id } } }),
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
      equivalent={{ command: `key revoke-own ${id}`, method: 'DELETE', path: `/v1/self/api-keys/${id}` }}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs with this key are refused at once, by every process. A revoked key cannot be given back.
    </Confirm>
  );
}
