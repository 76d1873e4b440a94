import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText, pluralText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Confirm } from '../../ui/confirm.js';
import { type Column } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { AuthoredRows, selectorColumn, stateColumn } from '../monitoring/authored-rows.js';
import { everyText } from '../monitoring/words.js';
import changes from '../../ui/rows/changes.module.css';
import { groupsQuery } from './observed-queries.js';
import { titleAmong } from './path-words.js';
import { watchesQuery } from './place.js';
import { useSaveWatch, WatchForm } from './watch-form.js';
import { usePrice, WatchPrice } from './watch-price.js';

type Watch = Schema<'ListedWatch'>;

const EMPTY = {
  title: 'Nothing is watched',
  command: 'fleetgate watch add accounts -f accounts.yaml',
  text: 'A watch names devices and paths of their configuration, and how often these are read. It says what that costs before it is saved. Nothing is written to a device.',
};

/** Which configuration of which devices is read, how often, and how far that is. */
export function Watches(): ReactNode {
  const [turnedOn, setTurnedOn] = useState<Watch | null>(null);
  const query = useQuery(watchesQuery);
  const run = useAction({
    run: ({ name }: Watch) =>
      api.post('/v1/watches/{watchName}/run', { params: { path: { watchName: name } }, body: {} }),
    done: ({ devices }) => `${countText(devices, 'device')} will be read as soon as the load allows`,
    refreshes: ['watches', 'observed'],
  });
  const more = (watch: Watch) => [
    ...(watch.enabled || watch.selector === null
      ? []
      : [{ text: 'Turn on', label: `Turn on ${watch.name}`, onSelect: () => setTurnedOn(watch) }]),
    { text: 'Read now', onSelect: () => run.mutate(watch), title: 'Also while it is off' },
  ];
  return (
    <>
      <AuthoredRows
        label="Watches"
        about="A watch reads parts of the configuration of its devices, so that they can be compared."
        add="New watch"
        query={query}
        empty={EMPTY}
        columns={COLUMNS}
        form={(watch, close) => <WatchForm watch={watch} onClose={close} />}
        removal={(watch, close) => <RemoveWatch watch={watch} onClose={close} />}
        more={more}
      />
      {turnedOn && <TurnOn watch={turnedOn} onClose={() => setTurnedOn(null)} />}
    </>
  );
}

const COLUMNS: readonly Column<Watch>[] = [
  { title: 'Watch', cell: ({ name }) => <Named name={name} /> },
  selectorColumn('Devices'),
  {
    title: 'How often',
    cell: ({ everySeconds }) => everyText(everySeconds),
    brief: ({ everySeconds }) => everyText(everySeconds),
  },
  { title: 'Reads', narrow: 'block', cell: (watch) => <Paths of={watch} /> },
  {
    title: 'Devices read',
    cell: (watch) => <Progress of={watch} />,
    brief: ({ devices, unreadDevices }) =>
      devices > 0 && `${numberText(devices - unreadDevices)} of ${countText(devices, 'device')} read`,
    isNumber: true,
  },
  { title: 'Last read', cell: (watch) => <Times of={watch} /> },
  { title: 'Changed', cell: (watch) => <Changed of={watch} /> },
  stateColumn('Names no devices now'),
];

/** What the watches bring that are there from the first start. */
const SHIPPED: Readonly<Record<string, string>> = {
  accounts: 'Which account exists where, in which group',
  certificates: 'Which certificate is on which router',
  access: 'Who can reach the routers: access control and firewall',
};

function Named({ name }: Pick<Watch, 'name'>): ReactNode {
  const about = SHIPPED[name];
  return (
    <div>
      <span className="foreign cut">{name}</span>
      {about && <span className="small quiet">{about}</span>}
    </div>
  );
}

const PATHS_SHOWN = 3;

/** What a watch reads, each with what it found. */
function Paths({ of: { paths, selector, enabled } }: { of: Watch }): ReactNode {
  const more = paths.length - PATHS_SHOWN;
  return (
    <ul className={changes['changes']} title={paths.join('\n')}>
      {paths.slice(0, PATHS_SHOWN).map((path) => (
        <li key={path}>
          <To to="/configuration" search={{ path, ...(selector && selector !== 'all' ? { selector } : {}) }}>
            {titleAmong(path, paths)}
          </To>{' '}
          {enabled && selector !== null && <Found path={path} selector={selector} />}
        </li>
      ))}
      {more > 0 && <li className="quiet">and {numberText(more)} more</li>}
    </ul>
  );
}

/** How many of the devices differ from most at one path. */
function Found({ path, selector }: { path: string; selector: string }): ReactNode {
  const { data } = useQuery({ ...groupsQuery(path, selector), enabled: useMay('observed.read') });
  const most = data?.groups.find(({ digest }) => digest !== null);
  if (!data || !most) return null;
  const others = data.devices - most.devices;
  if (others === 0) return <Mark tone="set">all the same</Mark>;
  return <Mark tone="warn">{`${numberText(others)} ${pluralText(others, 'differs', 'differ')}`}</Mark>;
}

function Progress({ of: { devices, unreadDevices, slowedDevices } }: { of: Watch }): ReactNode {
  if (devices === 0) return <span className="quiet">–</span>;
  return (
    <>
      {numberText(devices - unreadDevices)} of {numberText(devices)}
      {slowedDevices > 0 && <Mark tone="warn">{`${numberText(slowedDevices)} read less often`}</Mark>}
    </>
  );
}

/** When it last read a device, and when the next one is due. */
function Times({ of: { lastReadAt, nextReadAt } }: { of: Watch }): ReactNode {
  return (
    <>
      <Ago at={lastReadAt} />
      {nextReadAt && (
        <span className="small quiet cut">
          next <Ago at={nextReadAt} />
        </span>
      )}
    </>
  );
}

/** On how many devices the last pass found something else than the one before. */
function Changed({ of: { changedDevices, lastReadAt, selector, paths } }: { of: Watch }): ReactNode {
  if (lastReadAt === null) return <span className="quiet">–</span>;
  if (changedDevices === 0) return <span className="quiet">nothing</span>;
  const [path, ...others] = paths;
  return (
    <To
      to="/configuration"
      search={{ tab: 'changes', ...(selector ? { selector } : {}), ...(path && others.length === 0 ? { path } : {}) }}
    >
      {countText(changedDevices, 'device')}
    </To>
  );
}

/** What a watch is for and what it costs, before it reads. */
function TurnOn({ watch, onClose }: { watch: Watch; onClose: () => void }): ReactNode {
  const { name, paths, everySeconds } = watch;
  const selector = watch.selector ?? '';
  const price = usePrice({ selector, paths, everySeconds });
  const body = { name, selector, paths, everySeconds, enabled: true };
  const save = useSaveWatch(watch, body, onClose);
  const about = SHIPPED[name];
  return (
    <Confirm
      title={`Turn on ${name}`}
      send="Turn on"
      isHarmless
      busy={save.isPending}
      equivalent={{ command: `watch replace ${name} -f watch.yaml`, method: 'PUT', path: `/v1/watches/${name}`, body }}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {about && `${about}. `}
          {`It reads ${paths.map((path) => titleAmong(path, paths)).join(', ')} ${everyText(everySeconds)}, in your name.`}
        </p>
        <WatchPrice price={price} />
        {save.error ? <Failure error={save.error} /> : null}
      </div>
    </Confirm>
  );
}

function RemoveWatch({ watch: { name }, onClose }: { watch: Watch; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/watches/{watchName}', { params: { path: { watchName: name } } }),
    done: 'Watch removed',
    refreshes: ['watches'],
    after: onClose,
  });
  return (
    <Confirm
      title="Remove this watch"
      send="Remove"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `watch remove ${name} --yes`, method: 'DELETE', path: `/v1/watches/${name}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its devices are not read any more, unless another watch names them. What it has read stays, and grows old.
    </Confirm>
  );
}
