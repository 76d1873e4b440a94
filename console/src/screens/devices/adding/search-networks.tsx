import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { useList } from '../../../api/lists.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { fieldError } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';
import { StateMark } from '../../../ui/mark.js';
import { missingText } from '../../../ui/leaving/missing-text.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { useSearchText } from '../../../ui/to.js';
import { FoundDevices } from './found-devices.js';
import { effortText, readNetworks, readPorts, searchFailure, searchText } from './search-text.js';

type SearchForm = Readonly<Record<'networks' | 'ports' | 'username' | 'password', string>>;

const EMPTY: SearchForm = { networks: '', ports: '443, 80', username: '', password: '' };

/** Searches networks for devices, and registers the chosen ones. The search of the address is shown. */
export function SearchNetworks(): ReactNode {
  const [{ discovery }, change] = useSearchText();
  const [form, setForm] = useState(EMPTY);
  const again = ({ networks, ports }: Schema<'Discovery'>) => {
    setForm({ ...form, networks: networks.join(', '), ports: ports.join(', ') });
    change({ discovery: undefined });
  };
  if (discovery) return <Search id={discovery} onAgain={again} />;
  return <StartSearch form={form} onForm={setForm} onStarted={(id) => change({ discovery: id })} />;
}

interface StartSearchProps {
  form: SearchForm;
  onForm: (form: SearchForm) => void;
  onStarted: (id: string) => void;
}

function StartSearch({ form, onForm, onStarted }: StartSearchProps): ReactNode {
  const { username, password } = form;
  const networks = readNetworks(form.networks);
  const ports = readPorts(form.ports);
  const effort = ports && effortText(networks, ports.length);
  const credentials = username !== '' && password !== '' ? { credentials: [{ username, password }] } : {};
  const body = { networks: [...networks], ...(ports?.length ? { ports: [...ports] } : {}) };
  const start = useAction({
    run: () => api.post('/v1/discovery', { body: { ...body, ...credentials } }),
    done: null,
    refreshes: ['discovery'],
    after: ({ id }) => onStarted(id),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  const text = (field: keyof SearchForm) => ({
    value: form[field],
    onChange: ({ target }: { target: { value: string } }) => onForm({ ...form, [field]: target.value }),
  });
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Networks"
        required
        autoFocus
        placeholder="192.0.2.0/24"
        hint="With commas between them; at most 4,096 addresses in all"
        {...text('networks')}
      />
      <TextField
        label="Ports"
        hint="At most 4; each address is asked at them in this order, until a device answers"
        wrong={ports === null ? 'A port is a number from 1 to 65535.' : fieldError(start.error, 'ports')}
        {...text('ports')}
      />
      <div className="columns">
        <TextField label="User name" autoComplete="off" {...text('username')} />
        <TextField label="Password" type="password" autoComplete="new-password" {...text('password')} />
      </div>
      <p className="small quiet">
        Leave both empty to find devices without signing in. With a login, each new device is signed in to once, and its
        model and serial number are read.
      </p>
      {start.error ? <Failure error={start.error} placed={(_pointer, field) => field === 'ports'} /> : null}
      <EquivalentLines
        command={`discover start --networks ${networks.join(',') || '192.0.2.0/24'}`}
        method="POST"
        path="/v1/discovery"
        body={body}
      />
      <div className="row end">
        <span className="small quiet">{effort ?? missingText(['a network'])}</span>
        <Button type="submit" kind="primary" busy={start.isPending} disabled={networks.length === 0 || ports === null}>
          Search
        </Button>
      </div>
    </form>
  );
}

function Search({ id, onAgain }: { id: string; onAgain: (run: Schema<'Discovery'>) => void }): ReactNode {
  const path = { discoveryId: id };
  const { data, error } = useQuery({
    queryKey: KEYS.discovery.one(id),
    queryFn: ({ signal }) => api.get('/v1/discovery/{discoveryId}', { params: { path }, signal }),
    refetchInterval: ({ state }) => (state.data?.endedAt ? false : 1_000),
  });
  const list = useList('/v1/discovery/{discoveryId}/found', {
    key: KEYS.discovery.found(id, data?.searched ?? 0),
    path,
    query: { kind: 'device', limit: 200 },
  });
  const cancel = useAction({
    run: () => api.post('/v1/discovery/{discoveryId}/cancel', { params: { path } }),
    done: 'The search is cancelled',
    refreshes: ['discovery'],
  });
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  const isOver = data.endedAt !== null;
  const known = list.hasMore ? null : list.rows.filter((row) => row.known !== null).length;
  const failure = searchFailure(data);
  return (
    <div className="stack">
      <div className="row spread">
        <span role="status">{searchText(data, known)}</span>
        <StateMark state={data.state} />
      </div>
      {!isOver && <Progress of={data} />}
      {failure && (
        <Notice tone="bad">
          <strong>The search failed.</strong>
          {failure}
        </Notice>
      )}
      {data.found.devices > 0 && <FoundDevices discoveryId={id} list={list} />}
      {isOver && data.found.devices === 0 && !failure && <NothingFound of={data} />}
      <div className="row">
        {isOver ? (
          <Button icon="search" onClick={() => onAgain(data)}>
            Search again
          </Button>
        ) : (
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the search
          </Button>
        )}
      </div>
    </div>
  );
}

const Progress = ({ of: { addresses, searched } }: { of: Schema<'Discovery'> }): ReactNode => (
  <div
    className="bar"
    role="progressbar"
    aria-label="Addresses that were asked"
    aria-valuenow={searched}
    aria-valuemin={0}
    aria-valuemax={addresses}
  >
    <i style={{ width: `${(100 * searched) / Math.max(1, addresses)}%` }} />
  </div>
);

/** What may be the reason, and what to do. */
function NothingFound({ of: { networks, ports, found } }: { of: Schema<'Discovery'> }): ReactNode {
  return (
    <Notice>
      <strong>No device was found.</strong>
      <ul>
        <li>
          Networks: <span className="foreign">{networks.join(', ')}</span>. Are the devices in them?
        </li>
        <li>
          Ports: {ports.join(', ')}. Does the web interface of the devices listen there?
          {found.others > 0 && ` At ${numberText(found.others)} of the addresses something else answered.`}
        </li>
        <li>Firewall: does it let this gateway through to the devices at these ports? Is there a route or a tunnel?</li>
      </ul>
      <span>Change what was wrong, then search again: the networks and ports are filled in.</span>
    </Notice>
  );
}
