import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { useAction } from '../../../api/action.js';
import { modelText } from '../../../api/device-texts.js';
import { api, type Schema } from '../../../api/client.js';
import { type List } from '../../../api/lists.js';
import { Button } from '../../../ui/button.js';
import { DeviceLink } from '../../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../../ui/list-table.js';
import { loginText, whyNot } from './search-text.js';

type Found = Schema<'DiscoveredAddress'>;
type Accepted = Schema<'AcceptedDevices'>['items'][number];

/** Devices that one request registers. */
const AT_ONCE = 200;

/** What answered a search: those that can be registered are chosen, the others say why not. */
export function FoundDevices({ discoveryId, list }: { discoveryId: string; list: List<Found> }): ReactNode {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const open = list.rows.filter((row) => row.known === null);
  const chosen = open.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  const accept = useAction({
    run: () => acceptAll(discoveryId, chosen),
    done: (items) => `${numberText(acceptedOf(items))} of ${countText(items.length, 'device')} registered`,
    isGood: (items) => acceptedOf(items) > 0,
    refreshes: ['devices', 'discovery'],
    after: (items) => {
      const failed = items.filter(({ outcome }) => outcome === 'refused');
      setRefused(new Map(failed.map(({ found, detail }) => [found, detail ?? 'it was refused'])));
    },
  });
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    setLeft(next);
  };
  return (
    <>
      <ListTable<Found>
        label="Devices that answered"
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="quiet">No device has answered so far.</p>}
        columns={[
          {
            title: '',
            cell: (row) =>
              row.known === null && (
                <input
                  type="checkbox"
                  aria-label={`Choose ${row.address}`}
                  checked={!left.has(row.id)}
                  onChange={() => toggle(row.id)}
                />
              ),
          },
          ...COLUMNS,
          {
            title: 'Registration',
            narrow: 'beside',
            cell: (row) => <Registration of={row} refused={refused.get(row.id)} />,
          },
        ]}
      />
      {open.length > 0 && (
        <div className="row">
          <Button kind="primary" disabled={chosen.length === 0} busy={accept.isPending} onClick={() => accept.mutate()}>
            {chosen.length === 0 ? 'Choose devices to register' : `Register ${countText(chosen.length, 'device')}`}
          </Button>
          {list.hasMore && <span className="small quiet">Load the others to register them, too.</span>}
        </div>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Found>[] = [
  { title: 'Address', cell: ({ baseUrl }) => <code>{baseUrl}</code> },
  {
    title: 'Name and model',
    cell: ({ name, model }) => (
      <span className="foreign">{[name, model && modelText(model)].filter(Boolean).join(', ') || '–'}</span>
    ),
  },
  {
    title: 'Serial number',
    cell: ({ identifier, serial }) => <span className="foreign">{serial ?? identifier ?? '–'}</span>,
  },
];

/** What becomes of it when it is registered, or why it is not. */
function Registration({ of, refused }: { of: Found; refused: string | undefined }): ReactNode {
  const { known, login } = of;
  if (known !== null)
    return (
      <span className="small">
        <DeviceLink id={known.deviceId} /> <span className="quiet">{whyNot(of)}</span>
      </span>
    );
  if (refused !== undefined) return <span className="small wrong foreign">not registered: {refused}</span>;
  return <span className="small quiet">new, {loginText(login)}</span>;
}

const acceptedOf = (items: readonly Accepted[]): number => items.filter(({ outcome }) => outcome === 'accepted').length;

/** Registers them in parts, as large as one request takes. */
async function acceptAll(discoveryId: string, ids: readonly string[]): Promise<readonly Accepted[]> {
  const items: Accepted[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const answer = await api.post('/v1/discovery/{discoveryId}/accept', {
      params: { path: { discoveryId } },
      body: { found: ids.slice(at, at + AT_ONCE) },
    });
    items.push(...answer.items);
  }
  return items;
}
