import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { To } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { listedGroups } from './equal-answers.js';
import { whyText } from './requests.js';

type FanOut = Schema<'StoredFanOut'>;
type Group = FanOut['groups'][number];

/** Groups before the rest is asked for; fewer where no two answers are equal. */
const SHOWN = 8;
const SHOWN_OF_ONE = 3;

const COLUMNS: readonly Column<Group>[] = [
  {
    title: 'Devices',
    isNumber: true,
    brief: (group) => (
      <To to="." search={searchOf(group)}>
        {countText(group.devices, 'device')}
      </To>
    ),
    cell: (group) => (
      <To to="." search={searchOf(group)}>
        {group.devices.toLocaleString('en')}
      </To>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => <OutcomeMark outcome={outcome} /> },
  {
    title: 'Answer',
    narrow: 'line',
    cell: (group) => <Answer of={group} />,
  },
];

const searchOf = ({ outcome, reason, digest }: Group) => ({
  view: 'outcomes',
  outcome,
  ...(reason ? { reason } : {}),
  ...(digest ? { digest } : {}),
});

/** `Status 200 · 116 bytes · such as lab-21`, and the answer itself. */
function Answer({ of: { status, reason, digest, bytes, sample } }: { of: Group }): ReactNode {
  const facts = [
    status !== null && `Status ${status}`,
    whyText(reason),
    digest && bytes !== null && `${numberText(bytes)} bytes`,
  ].filter(Boolean);
  return (
    <span className="foreign">
      {facts.map((fact) => `${fact} · `)}
      such as{' '}
      <To to={`/devices/${sample.id}`} title={sample.name}>
        {sample.name}
      </To>
      {digest && (
        <>
          {' · '}
          <To to="." search={{ answer: digest }} title={digest}>
            Open
          </To>
        </>
      )}
    </span>
  );
}

/** Equal answers together, the largest group first. */
export function Groups({ fanOut }: { fanOut: FanOut }): ReactNode {
  const { moreGroups } = fanOut;
  const groups = listedGroups(fanOut);
  const [isAll, setAll] = useState(false);
  if (groups.length === 0) return null;
  const few = groups[0]?.devices === 1 ? SHOWN_OF_ONE : SHOWN;
  return (
    <div className="stack">
      <Table
        label="Equal answers"
        columns={COLUMNS}
        rows={isAll ? groups : groups.slice(0, few)}
        rowKey={({ outcome, reason, status, digest }) => `${outcome} ${reason} ${status} ${digest}`}
      />
      {groups.length > few && !isAll && (
        <div>
          <Button onClick={() => setAll(true)}>Show {groups.length - few} more groups</Button>
        </div>
      )}
      {moreGroups > 0 && <p className="small quiet">{moreGroups.toLocaleString('en')} smaller groups are not shown.</p>}
    </div>
  );
}
