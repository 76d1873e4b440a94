import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { SelectField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import { shortTitle } from './path-words.js';
import { KEYS } from '../../api/keys/query-keys.js';

/* Where a person looks: a path, and the devices. Both stand in the address, so the parts of the screen share them. */

export const watchesQuery = {
  queryKey: KEYS.watches.all,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('/v1/watches', { signal }),
  refetchInterval: 30_000, // no event tells how far a pass is
};

/** A digest is of one path, and a page of one list. */
const OTHER_PATH = { one: undefined, other: undefined, options: undefined, every: undefined, pages: undefined };

interface PlaceProps {
  /** What is shown at the place. */
  readonly children: (path: string, selector: string) => ReactNode;
}

/** The path and the devices, of all that is watched; and what to do where nothing is. */
export function AtPlace({ children }: PlaceProps): ReactNode {
  const watches = useQuery(watchesQuery);
  const [search, change] = useSearchText();
  const [selector, setSelector] = useAddressText('selector');
  if (watches.error) return <Failure error={watches.error} onRetry={() => void watches.refetch()} />;
  if (!watches.data) return <Loading />;
  const paths = [...new Set(watches.data.items.flatMap((watch) => watch.paths))].sort(byTitle);
  const path = search['path'] ?? firstPath(watches.data.items) ?? paths[0];
  if (path === undefined) return <NoWatches />;
  const offered = paths.includes(path) ? paths : [path, ...paths];
  return (
    <div className="stack">
      <Filters>
        <SelectField
          label="What"
          value={path}
          options={offered.map((one) => [one, shortTitle(one)] as const)}
          onChange={(event) => change({ ...OTHER_PATH, path: event.target.value })}
        />
      </Filters>
      <SelectorChoice emptyIsAll value={selector === 'all' ? '' : selector} onValue={setSelector} />
      {children(path, search['selector']?.trim() || 'all')}
    </div>
  );
}

const byTitle = (one: string, other: string): number => shortTitle(one).localeCompare(shortTitle(other), 'en');

/** Of a watch that reads: others have nothing to show so far. */
const firstPath = (watches: readonly { readonly enabled: boolean; readonly paths: readonly string[] }[]) =>
  watches.find(({ enabled }) => enabled)?.paths[0];

function NoWatches(): ReactNode {
  return (
    <div className="card">
      <Empty
        title="Nothing is watched"
        command="fleetgate watch list"
        action={
          <To to="/configuration" search={{ tab: 'watches' }}>
            Open the watches
          </To>
        }
      >
        A watch reads the configuration of devices on a rhythm, and stores it without secrets. Then this screen shows
        which routers are set alike.
      </Empty>
    </div>
  );
}
