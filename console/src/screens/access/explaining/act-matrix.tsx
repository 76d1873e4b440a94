import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { tell } from '../../../api/problems.js';
import { operatorsQuery, selfQuery } from '../../../api/queries.js';
import { Chip, Chips } from '../../../ui/devices/chips.js';
import { Table } from '../../../ui/list-table.js';
import { Notice } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { To } from '../../../ui/to.js';
import { usePersonLocks } from '../people/person-state.js';
import { Because, May } from './because.js';
import { explainQuery } from './explain-query.js';

/** What operators ask about most, each as a question without a device: it is about all of them. */
const ACTS = [
  ['See devices', { action: 'device.read' }],
  ['Restart devices', { action: 'device.call_write', method: 'POST', path: '/api/system/actions/reboot' }],
  ['Change the configuration of devices', { action: 'device.call_write' }],
  ['See secrets of devices', { action: 'device.read_secrets' }],
  ['Start jobs', { action: 'job.start' }],
  ['Plan rollouts', { action: 'rollout.manage' }],
  ['Approve requests of others', { action: 'approval.decide' }],
  ['Lock devices, and freeze all writes', { action: 'lock.manage' }],
  ['Read the audit', { action: 'audit.read' }],
  ['Change roles', { action: 'role.manage' }],
] as const;

/** Of more people the form above asks about one. */
const PEOPLE_SHOWN = 8;

interface ActMatrixProps {
  /** The id of the person; absent: the reader. */
  chosen: string | undefined;
  onChosen: (id: string) => void;
}

/** What one person may do, act by act, with the reason; the person is chosen above it. */
export function ActMatrix({ chosen, onChosen }: ActMatrixProps): ReactNode {
  const self = useQuery(selfQuery).data;
  const people = useQuery(operatorsQuery).data?.items.filter(({ disabledAt }) => disabledAt === null) ?? [];
  const id = chosen ?? self?.operatorId;
  return (
    <Card title="Who may do what">
      <div className="stack">
        <Chips label="Whose rights">
          {people.slice(0, PEOPLE_SHOWN).map((person) => (
            <Chip key={person.id} isOn={person.id === id} onClick={() => onChosen(person.id)}>
              <span className="foreign">{person.name}</span>
            </Chip>
          ))}
        </Chips>
        <ActsOf id={id} />
      </div>
    </Card>
  );
}

/** What the roles of a person say. A lock stops all of it. @param id of the person; absent: the reader */
export function ActsOf({ id }: { id: string | undefined }): ReactNode {
  const lockOf = usePersonLocks();
  const lock = id === undefined ? undefined : lockOf(id);
  const answers = useQueries({
    queries: ACTS.map(([, question]) => explainQuery({ ...question, ...(id ? { operator: id } : {}) })),
  });
  const rows = ACTS.map(([text, question], at) => ({ text, question, ...answers[at]! }));
  return (
    <div className="stack">
      {lock && (
        <Notice tone="warn">
          <span>Nothing of this while locked. Without the lock, the roles say:</span>
        </Notice>
      )}
      <Table
        label="What this person may do"
        rows={rows}
        rowKey={({ text }) => text}
        columns={[
          {
            title: 'Act',
            cell: ({ text, question }) => (
              <To
                to="/access"
                search={{ ...question, tab: 'explain', operator: 'everyone' }}
                title="Who else may do it"
              >
                {text}
              </To>
            ),
          },
          {
            title: 'May',
            narrow: 'beside',
            cell: ({ data }) => (data ? <May of={data} /> : '…'),
          },
          {
            title: 'Because',
            narrow: 'block',
            cell: ({ data, error }) => (data ? <Because of={data} /> : error ? tell(error).title : '…'),
          },
        ]}
      />
    </div>
  );
}
