import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { useList } from '../../../api/lists.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Button } from '../../../ui/button.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';
import { ListTable } from '../../../ui/list-table.js';
import { StateMark } from '../../../ui/mark.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { useSearchText } from '../../../ui/to.js';

/** Searches networks for devices, and registers the chosen ones. The search of the address is shown. */
export function SearchNetworks(): ReactNode {
  const [{ discovery }, change] = useSearchText();
  if (discovery) return <Search id={discovery} onNew={() => change({ discovery: undefined })} />;
  return <StartSearch onStarted={(id) => change({ discovery: id })} />;
}

function StartSearch({ onStarted }: { onStarted: (id: string) => void }): ReactNode {
  const [networks, setNetworks] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const list = networks.split(/[\s,]+/).filter((network) => network !== '');
  const credentials = username !== '' && password !== '' ? { credentials: [{ username, password }] } : {};
  const start = useAction({
    run: () => api.post('/v1/discovery', { body: { networks: list, ...credentials } }),
    done: 'The search has started',
    refreshes: ['discovery'],
    after: ({ id }) => onStarted(id),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Networks"
        required
        autoFocus
        placeholder="192.0.2.0/24"
        hint="At most 4,096 addresses in all; devices are looked for at the ports 443 and 80"
        value={networks}
        onChange={(event) => setNetworks(event.target.value)}
      />
      <div className="columns">
        <TextField
          label="User name"
          autoComplete="off"
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </div>
      <p className="small quiet">
        Leave both empty to find devices without signing in. With a login, each new device is signed in to once, and its
        model and serial number are read.
      </p>
      {start.error ? <Failure error={start.error} /> : null}
      <EquivalentLines
        command={`discover start --networks ${list.join(',') || '192.0.2.0/24'}`}
        method="POST"
        path="/v1/discovery"
        body={{ networks: list }}
      />
      <div className="row end">
        <Button type="submit" kind="primary" busy={start.isPending}>
          Search
        </Button>
      </div>
    </form>
  );
}

function Search({ id, onNew }: { id: string; onNew: () => void }): ReactNode {
  const path = { discoveryId: id };
  const { data, error } = useQuery({
    queryKey: KEYS.discovery.one(id),
    queryFn: ({ signal }) => api.get('/v1/discovery/{discoveryId}', { params: { path }, signal }),
    refetchInterval: ({ state }) => (state.data?.endedAt ? false : 1_000),
  });
  const found = useList('/v1/discovery/{discoveryId}/found', {
    key: KEYS.discovery.found(id, data?.searched ?? 0),
    path,
    query: { kind: 'device', limit: 200 },
  });
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  const { state, addresses, searched, found: counts, logins } = data;
  return (
    <div className="stack">
      <div className="row spread">
        <span role="status">
          {numberText(searched)} of {countText(addresses, 'address', 'addresses')}:{' '}
          {countText(counts.devices, 'device')}, {countText(counts.others, 'other')}
          {logins.refused > 0 ? `, ${countText(logins.refused, 'login')} refused` : ''}
        </span>
        <StateMark state={state} />
      </div>
      <div className="bar">
        <i style={{ width: `${(100 * searched) / Math.max(1, addresses)}%` }} />
      </div>
      <DiscoveredAddress discoveryId={id} list={found} />
      <div className="row">
        <Button onClick={onNew}>Search again</Button>
      </div>
    </div>
  );
}

type DiscoveredAddress = Schema<'DiscoveredAddress'>;

function DiscoveredAddress({
  discoveryId,
  list,
}: {
  discoveryId: string;
  list: ReturnType<typeof useList<'/v1/discovery/{discoveryId}/found'>>;
}): ReactNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const accept = useAction({
    run: () =>
      api.post('/v1/discovery/{discoveryId}/accept', {
        params: { path: { discoveryId } },
        body: { found: [...chosen] },
      }),
    done: ({ items }) =>
      `${items.filter(({ outcome }) => outcome === 'accepted').length} of ${countText(items.length, 'device')} registered`,
    refreshes: ['devices', 'discovery'],
    after: () => setChosen(new Set()),
  });
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      <ListTable<DiscoveredAddress>
        label="Devices that answered"
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="quiet">No device has answered so far.</p>}
        columns={[
          {
            title: '',
            cell: (row) =>
              isKnown(row) ? null : (
                <input
                  type="checkbox"
                  aria-label={`Choose ${row.address}`}
                  checked={chosen.has(row.id)}
                  onChange={() => toggle(row.id)}
                />
              ),
          },
          { title: 'Address', cell: ({ baseUrl }) => <code>{baseUrl}</code> },
          {
            title: 'Name',
            cell: ({ name, model }) => (
              <span className="foreign">{[name, model].filter(Boolean).join(', ') || '–'}</span>
            ),
          },
          {
            title: 'Identifier',
            cell: ({ identifier, serial }) => <span className="foreign">{serial ?? identifier ?? '–'}</span>,
          },
          { title: 'Registry', narrow: 'beside', cell: (row) => (isKnown(row) ? 'known' : 'new') },
        ]}
      />
      <div className="row">
        <Button kind="primary" disabled={chosen.size === 0} busy={accept.isPending} onClick={() => accept.mutate()}>
          Register {countText(chosen.size, 'device')}
        </Button>
      </div>
    </>
  );
}

const isKnown = ({ known }: DiscoveredAddress) => known !== null;
