import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';
import { type Column } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { To } from '../../ui/to.js';
import { AuthoredRows, selectorColumn, stateColumn } from '../monitoring/authored-rows.js';
import { timeText } from '../monitoring/words.js';
import { pathTitle } from './path-words.js';
import { watchesQuery } from './place.js';
import { WatchForm } from './watch-form.js';

type Watch = Schema<'ListedWatch'>;

const EMPTY = {
  title: 'Nothing is watched',
  command: 'fleetgate watch add accounts -f accounts.yaml',
  text: 'A watch names devices and paths of their configuration, and how often these are read. It says what that costs before it is saved. Nothing is written to a device.',
};

/** Which configuration of which devices is read, how often, and how far that is. */
export function Watches(): ReactNode {
  const query = useQuery(watchesQuery);
  const run = useAction({
    run: ({ name }: Watch) =>
      api.post('/v1/watches/{watchName}/run', { params: { path: { watchName: name } }, body: {} }),
    done: ({ devices }) => `${countText(devices, 'device')} will be read as soon as the load allows`,
    refreshes: ['watches', 'observed'],
  });
  return (
    <AuthoredRows
      label="Watches"
      add="New watch"
      query={query}
      empty={EMPTY}
      columns={COLUMNS}
      form={(watch, close) => <WatchForm watch={watch} onClose={close} />}
      removal={(watch, close) => <RemoveWatch watch={watch} onClose={close} />}
      more={(watch) => [{ text: 'Read now', onSelect: () => run.mutate(watch), title: 'Also while it is off' }]}
    />
  );
}

const COLUMNS: readonly Column<Watch>[] = [
  { title: 'Watch', cell: ({ name }) => <span className="foreign cut">{name}</span> },
  selectorColumn('Devices'),
  { title: 'Every', cell: ({ everySeconds }) => timeText(everySeconds) },
  { title: 'Reads', cell: ({ paths }) => <Paths of={paths} /> },
  { title: 'Read', cell: (watch) => <Progress of={watch} />, isNumber: true },
  stateColumn('Names no devices now'),
];

const PATHS_SHOWN = 2;

function Paths({ of }: { of: readonly string[] }): ReactNode {
  const more = of.length - PATHS_SHOWN;
  return (
    <span title={of.join('\n')}>
      {of.slice(0, PATHS_SHOWN).map((path, at) => (
        <span key={path}>
          {at > 0 && ', '}
          <To to="/configuration" search={{ path }}>
            {pathTitle(path)}
          </To>
        </span>
      ))}
      {more > 0 && <span className="quiet"> and {more} more</span>}
    </span>
  );
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
