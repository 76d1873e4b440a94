import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { numberText } from '../../api/amount-text.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { plannedText } from '../../ui/action-text.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { JsonBlock } from '../../ui/json.js';
import { ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';

type Approval = Schema<'Approval'>;

interface Decision {
  readonly approval: Approval;
  readonly verb: 'approve' | 'reject';
}

/** Requests that a second person has to approve. */
export function Approvals(): ReactNode {
  const list = useList('/v1/approvals', { key: ['approvals'] });
  const [decision, setDecision] = useState<Decision | null>(null);
  const mayDecide = useMay('approval.decide');
  return (
    <>
      <ListTable
        label="Approvals"
        list={list}
        rowKey={({ id }) => id}
        columns={[
          { title: 'Request', cell: (approval) => <Asked of={approval} /> },
          { title: 'Devices', cell: ({ devices }) => numberText(devices), isNumber: true },
          { title: 'Asked by', cell: ({ requestedByName }) => <span className="foreign cut">{requestedByName}</span> },
          { title: 'Asked', cell: ({ requestedAt }) => <Ago at={requestedAt} /> },
          { title: 'State', cell: (approval) => <State of={approval} /> },
          {
            title: '',
            cell: (approval) => mayDecide && isOpen(approval) && <Decide approval={approval} onDecide={setDecision} />,
          },
        ]}
        empty={
          <Empty title="Nothing waits for approval" command="fleetgate approval list">
            A request that writes to many devices can need a second person. It is shown here until it is decided.
          </Empty>
        }
      />
      {decision && <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </>
  );
}

/** What will be done when it is approved. */
function askedText({ action, summary }: Approval): string {
  if (summary['remove'] === true) return 'Will remove devices';
  return action === 'device.call_write' ? 'Will write to devices' : plannedText(action);
}

/** The requests that the devices will get. */
const requestsOf = ({ summary: { requests } }: Approval): string[] =>
  Array.isArray(requests) ? requests.map(({ method, path }: Record<string, string>) => `${method} ${path}`) : [];

function Asked({ of }: { of: Approval }): ReactNode {
  return (
    <>
      {askedText(of)}
      {requestsOf(of).map((request, at) => (
        <code key={at} className="foreign small cut">
          {request}
        </code>
      ))}
    </>
  );
}

const isOpen = ({ state, expiresAt }: Approval) => state === 'pending' && new Date(expiresAt).getTime() > Date.now();

function State({ of }: { of: Approval }): ReactNode {
  return (
    <>
      <StateMark state={of.state === 'pending' && !isOpen(of) ? 'expired' : of.state} />
      {of.decidedByName && <span className="small quiet foreign"> by {of.decidedByName}</span>}
    </>
  );
}

function Decide({ approval, onDecide }: { approval: Approval; onDecide: (decision: Decision) => void }): ReactNode {
  return (
    <span className="row end">
      <Button onClick={() => onDecide({ approval, verb: 'reject' })}>Reject</Button>
      <Button onClick={() => onDecide({ approval, verb: 'approve' })}>Approve</Button>
    </span>
  );
}

function DecisionDialog({ approval, verb, onClose }: Decision & { onClose: () => void }): ReactNode {
  const { id } = approval;
  const decide = useAction({
    run: () => {
      const params = { params: { path: { approvalId: id } } };
      return verb === 'approve'
        ? api.post('/v1/approvals/{approvalId}/approve', params)
        : api.post('/v1/approvals/{approvalId}/reject', params);
    },
    done: verb === 'approve' ? 'The request is approved' : 'The request is rejected',
    refreshes: ['approvals'],
    after: onClose,
  });
  return (
    <Confirm
      title={verb === 'approve' ? 'Approve this request' : 'Reject this request'}
      send={verb === 'approve' ? 'Approve' : 'Reject'}
      busy={decide.isPending}
      equivalent={{ command: `approval ${verb} ${id}`, method: 'POST', path: `/v1/approvals/${id}/${verb}` }}
      onConfirm={() => decide.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <Facts
          of={[
            ['Request', <Asked key="request" of={approval} />],
            ['Asked by', approval.requestedByName],
            ['Devices', numberText(approval.devices)],
            ['Ends', <Ago key="ends" at={approval.expiresAt} />],
          ]}
        />
        <JsonBlock label="The request" value={approval.summary} />
        <p>The approval is for exactly this request. {approval.requestedByName} sends it again, and it is used once.</p>
      </div>
    </Confirm>
  );
}
