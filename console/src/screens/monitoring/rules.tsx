import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { To } from '../../ui/to.js';
import { RemoveRule } from './remove-rule.js';
import { RuleForm } from './rule-form.js';
import { timeText } from './words.js';
import { SeverityMark } from './severity.js';

type Rule = Schema<'AlertRule'>;

/** Which devices need attention, and after what time. */
export function Rules(): ReactNode {
  const mayManage = useMay('monitoring.manage');
  const [edited, setEdited] = useState<Rule | 'new' | null>(null);
  const [removed, setRemoved] = useState<Rule | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['alert-rules'],
    queryFn: ({ signal }) => api.get('/v1/monitoring/rules', { signal }),
  });
  const add = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      New rule
    </Button>
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <div className="stack">
      {data.items.length === 0 ? (
        <div className="card">
          <Empty
            title="No rule watches the devices"
            command="fleetgate rule add offline -l state:offline --for-seconds 900"
            action={add}
          >
            A rule is a selector and a time: a device that matches for so long has an open alert.
          </Empty>
        </div>
      ) : (
        <>
          <div>{add}</div>
          <Table
            label="Rules of alerts"
            columns={columnsOf(mayManage, setEdited, setRemoved)}
            rows={data.items}
            rowKey={({ id }) => id}
          />
        </>
      )}
      {edited && <RuleForm rule={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {removed && <RemoveRule rule={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

const columnsOf = (
  mayManage: boolean,
  edit: (rule: Rule) => void,
  remove: (rule: Rule) => void,
): readonly Column<Rule>[] => [
  {
    title: 'Rule',
    cell: ({ name, note }) => (
      <span className="foreign cut" title={note || name}>
        {name}
      </span>
    ),
  },
  {
    title: 'Devices that match',
    cell: ({ selector }) =>
      selector === null ? (
        <span className="quiet">not shown to you</span>
      ) : (
        <To to="/devices" search={{ selector }}>
          <code className="foreign cut">{selector}</code>
        </To>
      ),
  },
  { title: 'Opens after', cell: ({ forSeconds }) => timeText(forSeconds) },
  { title: 'Severity', cell: ({ severity }) => <SeverityMark severity={severity} /> },
  {
    title: 'Open now',
    isNumber: true,
    cell: ({ id, open }) => (
      <To to="/monitoring" search={{ rule: id }}>
        {open.toLocaleString('en')}
      </To>
    ),
  },
  { title: 'State', cell: (rule) => <RuleState rule={rule} /> },
  ...(mayManage
    ? [
        {
          title: '',
          cell: (rule: Rule) => (
            <span className="row end">
              {rule.selector !== null && (
                <Button aria-label={`Change ${rule.name}`} onClick={() => edit(rule)}>
                  Change
                </Button>
              )}
              <Button aria-label={`Remove ${rule.name}`} onClick={() => remove(rule)}>
                Remove
              </Button>
            </span>
          ),
        },
      ]
    : []),
];

function RuleState({ rule: { enabled, orphaned, lastError } }: { rule: Rule }): ReactNode {
  if (orphaned) return <Mark tone="bad">Its author may not act any more</Mark>;
  if (!enabled) return <Mark tone="plain">Off</Mark>;
  if (lastError) return <Mark tone="warn">{`Judges no devices now: ${lastError.replaceAll('_', ' ')}`}</Mark>;
  return <Mark tone="good">On</Mark>;
}
