import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { COMPARED } from '../../ui/sides/side-by-side.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { alikeText, type Group, type Groups as Observed, selectorOf } from './alike.js';
import { ChangeLines } from './change-lines.js';
import { Comparison } from './comparison.js';
import { groupsQuery } from './observed-queries.js';
import { MakeTemplate } from './make-template.js';
import { missingText, pathTitle } from './path-words.js';
import { AtPlace } from './place.js';
import { SectionLines } from './section-lines.js';

/** Each row but the first asks what makes it differ. */
const SHOWN = 12;

/** The routers by equal configuration at one path, and what differs between two groups. */
export function Groups(): ReactNode {
  return <AtPlace>{(path, selector) => <GroupsAt path={path} selector={selector} />}</AtPlace>;
}

function GroupsAt({ path, selector }: { path: string; selector: string }): ReactNode {
  const [search, change] = useSearchText();
  const mayStart = useMay('rollout.manage');
  const [shown, setShown] = useState(SHOWN);
  const query = useQuery(groupsQuery(path, selector));
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const view = query.data;
  const { groups, moreGroups } = view;
  if (groups.length === 0) return <NothingRead path={path} unread={view.unread} />;
  const largest = groups.find(({ digest }) => digest !== null);
  const compare = (other: string) => change({ one: largest?.digest ?? undefined, other });
  const { one, other } = search;
  return (
    <div className="stack">
      <div className="row spread">
        <h2>{alikeText(view)}</h2>
        <MakeTemplate path={path} most={largest} />
      </div>
      {one && other && (
        <Comparison path={path} one={one} other={other} groups={groups} baseline={largest?.digest ?? null} />
      )}
      <Table
        label="Routers that are set alike"
        columns={[
          ...columnsOf(view, largest?.digest ?? null),
          actionsOf({ path, largest: largest?.digest ?? null, compare, mayStart }),
        ]}
        rows={groups.slice(0, shown)}
        rowKey={({ digest, error }) => digest ?? error ?? ''}
      />
      {groups.length > shown && (
        <div>
          <Button onClick={() => setShown(groups.length)}>
            Show {countText(groups.length - shown, 'smaller group')} more
          </Button>
        </div>
      )}
      {moreGroups > 0 && <p className="small quiet">{countText(moreGroups, 'smaller group')} not shown.</p>}
    </div>
  );
}

const columnsOf = ({ path, devices: total, groups }: Observed, largest: string | null): readonly Column<Group>[] => [
  {
    title: 'Devices',
    isNumber: true,
    cell: (group) => <GroupDevices path={path} group={group} text={numberText(group.devices)} />,
    brief: (group) => <GroupDevices path={path} group={group} text={countText(group.devices, 'device')} />,
  },
  {
    title: 'Share',
    narrow: 'none',
    cell: ({ devices, digest }) => (
      <span className="bar" aria-hidden="true">
        <i data-tone={digest === null ? 'warn' : undefined} style={{ width: `${(100 * devices) / total}%` }} />
      </span>
    ),
  },
  {
    title: 'State',
    narrow: 'beside',
    cell: ({ digest }) => {
      if (digest === null) return <Mark tone="plain">Not read</Mark>;
      return digest === largest ? <Mark tone="set">Baseline</Mark> : <Mark tone="warn">Different</Mark>;
    },
  },
  {
    title: 'Configuration',
    narrow: 'block',
    share: 60,
    cell: ({ digest, error }) => {
      if (digest === null) return missingText(error);
      if (largest === null || digest === largest) return <SectionLines path={path} digest={digest} />;
      return (
        <ChangeLines
          path={path}
          one={largest}
          other={digest}
          heads={COMPARED}
          isHeaded={digest === groups.find((one) => one.digest !== null && one.digest !== largest)?.digest}
          otherwise="It cannot be compared"
        />
      );
    },
  },
  {
    title: 'Such as',
    brief: ({ sample }) => `such as ${sample.name}`,
    cell: ({ sample, oldestReadAt }) => (
      <>
        <To to={`/devices/${sample.id}`} search={{ tab: 'history', path }} className="foreign cut" title={sample.name}>
          {sample.name}
        </To>
        {oldestReadAt && (
          <div className="small quiet" title="The oldest reading of the group">
            read <Ago at={oldestReadAt} />
          </div>
        )}
      </>
    ),
  },
];

function GroupDevices({ path, group, text }: { path: string; group: Group; text: string }): ReactNode {
  const selector = selectorOf(path, group);
  if (!selector) return text;
  return (
    <To to="/devices" search={{ selector }}>
      {text}
    </To>
  );
}

interface Actions {
  readonly path: string;
  readonly largest: string | null;
  readonly compare: (other: string) => void;
  readonly mayStart: boolean;
}

const actionsOf = ({ path, largest, compare, mayStart }: Actions): Column<Group> => ({
  title: '',
  cell: (group) => {
    const selector = selectorOf(path, group);
    const { digest, sample } = group;
    if (!selector || !digest) return null;
    return (
      <RowActions
        of={`group of ${sample.name}`}
        actions={[
          largest !== null &&
            digest !== largest && {
              text: 'Compare',
              label: `Compare the group of ${sample.name} with the baseline`,
              onSelect: () => compare(digest),
            },
          { text: 'Show their values', to: '/configuration', search: { tab: 'table', path, selector } },
          { text: 'Show their devices', to: '/devices', search: { selector } },
          mayStart && { text: 'Roll out to them', to: '/rollouts/new', search: { selector, kind: 'configure' } },
        ]}
      />
    );
  },
});

function NothingRead({ path, unread }: { path: string; unread: number }): ReactNode {
  return (
    <div className="card">
      <Empty
        title={`No device was read at ${pathTitle(path)}`}
        action={
          <To to="/configuration" search={{ tab: 'watches' }}>
            Open the watches
          </To>
        }
      >
        {unread === 0
          ? 'The selector names no device that you may read here.'
          : `${countText(unread, 'device')} may be read. Switch a watch on, or read its devices now.`}
      </Empty>
    </div>
  );
}
