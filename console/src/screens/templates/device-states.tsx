import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago, Since } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { pathTitle } from '../observed/path-words.js';
import { type DeviceState } from './drift-groups.js';
import { differenceText, isOpenDifference, shortDifference } from './item-words.js';
import { differingQuery } from './template-queries.js';
import { PutBackDevice } from './put-back/put-back-device.js';
import { ResumeDialog } from './suspended.js';
import {
  closeText,
  closeTitle,
  leftOutText,
  OPEN_STATES,
  REMEDIES,
  SYNC_STATES,
  SYNC_WORDS,
  syncText,
  versionText,
} from './sync-words.js';

/** A choice of the filter beside the states. */
const EVERY = 'every';

/** Each device that differs and how; narrowed to a state, or widened to every device, by the address. */
export function DeviceStates({ template: { name } }: { template: Schema<'Template'> }): ReactNode {
  const [{ sync }] = useSearchText();
  const [chosen, setChosen] = useState<DeviceState | null>(null);
  const differing = useQuery(differingQuery(name));
  const open = differing.data && !differing.data.isPart ? differing.data.rows : [];
  // Without a choice it is what differs: the others say the same, one after the other.
  const isOpen = sync === undefined && open.length > 0;
  const list = useList('/v1/templates/{templateName}/devices', {
    key: KEYS.templates.devices(name),
    path: { templateName: name },
    query: { sync: sync === EVERY ? undefined : sync },
    every: 30_000,
    enabled: !isOpen && !differing.isPending,
  });
  const actions = useActions(setChosen);
  const close = () => setChosen(null);
  const rows = isOpen ? open : list.rows;
  const versions = new Set(rows.map(versionText));
  // What all of them say stands once, above them.
  const isSaidOnce = rows.length > 1 && versions.size === 1;
  return (
    <div className="stack">
      <div className="row spread">
        <h2>Each device {isSaidOnce && <span className="small quiet">{[...versions][0]}</span>}</h2>
        <div className="inline-fields" role="search">
          <SelectFilter
            label="State"
            param="sync"
            none={open.length > 0 ? 'What differs' : 'Every device'}
            options={[
              ...(open.length > 0 ? [[EVERY, 'Every device'] as const] : []),
              ...SYNC_STATES.map((state) => [state, syncText(state)] as const),
            ]}
          />
        </div>
      </div>
      <ListTable
        label="Devices of the template"
        list={isOpen ? { ...list, rows: open, isLoading: false, error: null, hasMore: false } : list}
        columns={[...COLUMNS.filter((column) => !isSaidOnce || column !== HAS), actions]}
        rowKey={({ deviceId }) => deviceId}
        empty={
          sync === undefined ? (
            <Empty title="No device is compared so far">
              The selector names no device on which you may read all of the template, or the comparison runs in a
              moment.
            </Empty>
          ) : (
            <Empty title="No device is in this state">Choose another one.</Empty>
          )
        }
      />
      {chosen?.state === 'suspended' && (
        <ResumeDialog template={name} selector={`id:${chosen.deviceId}`} device={chosen.device} onClose={close} />
      )}
      {chosen && chosen.state !== 'suspended' && <PutBackDevice state={chosen} onClose={close} />}
    </div>
  );
}

/** The one act that a device needs, with its name for screen readers; null: none, or none that the reader may do. */
export function useActOf(): (state: DeviceState) => { readonly text: string; readonly label: string } | null {
  const [mayStart, mayResume] = [useMay('job.start'), useMay('template.publish')];
  return ({ state, template, device }) => {
    if (mayStart && OPEN_STATES.some((one) => one === state))
      return { text: closeText(state), label: closeTitle(state, template, device) };
    return state === 'suspended' && mayResume ? { text: 'Resume', label: `Resume ${device} for ${template}` } : null;
  };
}

/** What can be done with one device. @param choose opens its dialog */
function useActions(choose: (state: DeviceState) => void): Column<DeviceState> {
  const actOf = useActOf();
  return {
    title: '',
    cell: (row) => {
      const act = actOf(row);
      return <RowActions of={row.device} actions={[act && { ...act, onSelect: () => choose(row) }]} />;
    },
  };
}

/** The state as a mark; what it means is said at the pointer. */
export function SyncMark({ state }: { state: DeviceState['state'] }): ReactNode {
  const [tone, text, about] = SYNC_WORDS[state];
  return (
    <span title={about}>
      <Mark tone={tone}>{text}</Mark>
    </span>
  );
}

/** The first setting that differs with its value, and how many more; all of them at the pointer. Or why the device is not compared. */
function Differs({ of }: { of: DeviceState }): ReactNode {
  const open = of.reason === null ? of.differences.filter(isOpenDifference) : [];
  const [first] = open;
  if (!first) return <About of={of} />;
  const more = open.length - 1 + of.moreDifferences;
  return (
    <span className="foreign" title={open.map(differenceText).join('\n')}>
      {shortDifference(first)}
      {more > 0 && <span className="quiet"> and {numberText(more)} more</span>}
    </span>
  );
}

const SHOWN = 2;

/** What differs on the device, or why it is not compared. */
export function About({ of: { reason, detail, differences, moreDifferences } }: { of: DeviceState }): ReactNode {
  if (reason !== null)
    return (
      <>
        {capital(leftOutText(reason))}
        {detail && (
          <>
            : <span className="foreign">{detail.startsWith('/api/') ? pathTitle(detail) : detail}</span>
          </>
        )}
        {REMEDIES[reason] && <span className="quiet">. {REMEDIES[reason]}</span>}
      </>
    );
  const open = differences.filter(isOpenDifference);
  const ignored = differences.filter(({ is }) => is === 'ignored').length;
  if (open.length === 0)
    return <span className="quiet">{ignored > 0 ? `${countText(ignored, 'option')} ignored` : '–'}</span>;
  const more = open.length - SHOWN + moreDifferences;
  return (
    <span className="foreign">
      {open.slice(0, SHOWN).map(differenceText).join('; ')}
      {more > 0 && `, and ${countText(more, 'further difference')}`}
    </span>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Which version a device has, and from when on it compares as it does. */
const HAS: Column<DeviceState> = { title: 'Has', narrow: 'none', cell: versionText };

const STANDING: readonly Column<DeviceState>[] = [
  HAS,
  {
    title: 'Since',
    narrow: 'line',
    cell: ({ since }) => <Ago at={since} />,
    brief: ({ since }) => <Since at={since} />,
  },
];

const COLUMNS: readonly Column<DeviceState>[] = [
  {
    title: 'Device',
    cell: ({ deviceId, device }) => (
      <To to={`/devices/${deviceId}`} search={{ tab: 'templates' }} className="foreign cut" title={device}>
        {device}
      </To>
    ),
  },
  { title: 'State', cell: ({ state }) => <SyncMark state={state} /> },
  {
    title: 'What differs',
    cell: (row) => <Differs of={row} />,
    brief: (row) => (row.reason || row.differences.some(({ is }) => is !== 'normalised') ? <Differs of={row} /> : null),
  },
  ...STANDING,
];
