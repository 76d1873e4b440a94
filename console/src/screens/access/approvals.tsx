import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { ListTable } from '../../ui/list-table.js';
import { Mark, StateMark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { actText, readSummary } from './approving/act-words.js';
import { ApprovalFacts } from './approving/approval-facts.js';

type Approval = Schema<'Approval'>;

interface Decision {
  readonly approval: Approval;
  readonly verb: 'approve' | 'reject';
}

/** Requests that a second person has to approve: those that wait with all that a decision needs, then the others. */
export function Approvals(): ReactNode {
  const list = useList('/v1/approvals', { key: KEYS.approvals.all });
  const [decision, setDecision] = useState<Decision | null>(null);
  const waiting = list.rows.filter(isOpen);
  const others = list.rows.filter((one) => !isOpen(one));
  return (
    <div className="stack">
      <TabHead text="A request that writes to many devices can need a second person. It waits here until it is decided." />
      {waiting.map((approval) => (
        <Waiting key={approval.id} approval={approval} onDecide={setDecision} />
      ))}
      {(others.length > 0 || waiting.length === 0 || list.hasMore) && (
        <ListTable
          label="Decided and ended requests"
          list={{ ...list, rows: others }}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Request',
              cell: (approval) => <Asked approval={approval} />,
              brief: (approval) => <span className="foreign">{sentenceOf(approval)}</span>,
            },
            {
              title: 'Requested',
              cell: ({ requestedAt }) => <Ago at={requestedAt} />,
              brief: ({ requestedAt, decidedByName }) => (
                <>
                  asked <Ago at={requestedAt} />
                  {decidedByName && ` · decided by ${decidedByName}`}
                </>
              ),
            },
            {
              title: 'State',
              narrow: 'beside',
              cell: (approval) => <State of={approval} />,
              brief: (approval) => <StateMark state={shownState(approval)} />,
            },
            { title: 'Decided', cell: (approval) => <Decided of={approval} /> },
          ]}
          empty={
            <Empty title="Nothing waits for approval" command="fleetgate approval list">
              From how many devices on a write needs a second person is a setting of the gateway.
            </Empty>
          }
        />
      )}
      {decision && <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </div>
  );
}

interface WaitingProps {
  approval: Approval;
  onDecide: (decision: Decision) => void;
}

/** Who asks for what, on which devices, and what the same did last time. */
function Waiting({ approval, onDecide }: WaitingProps): ReactNode {
  const mayDecide = useMay('approval.decide');
  return (
    <Card>
      <div className="stack">
        <div className="row spread">
          <h2 className="foreign">{sentenceOf(approval)}</h2>
          <Mark tone="warn">
            <span>
              Waits, asked <Ago at={approval.requestedAt} />
            </span>
          </Mark>
        </div>
        <ApprovalFacts approval={approval} asked={readSummary(approval.summary)} />
        {mayDecide && (
          <div className="row">
            <Button kind="primary" onClick={() => onDecide({ approval, verb: 'approve' })}>
              Approve
            </Button>
            <Button onClick={() => onDecide({ approval, verb: 'reject' })}>Reject</Button>
          </div>
        )}
      </div>
    </Card>
  );
}

/** `Ada asks to restart 25 devices`, and which calls do it. */
function Asked({ approval }: { approval: Approval }): ReactNode {
  const asked = readSummary(approval.summary);
  const [first] = asked.requests;
  return (
    <span className="foreign">
      {sentenceOf(approval)}
      {first && (
        <>
          <br />
          <code className="small quiet">
            {first.method} {first.path}
            {asked.selector ? ` · ${asked.selector}` : ''}
          </code>
        </>
      )}
    </span>
  );
}

const sentenceOf = ({ requestedByName, summary, devices }: Approval): string =>
  `${requestedByName} asks to ${actText(readSummary(summary), devices)}`;

const isOpen = ({ state, expiresAt }: Approval) => state === 'pending' && new Date(expiresAt).getTime() > Date.now();

const shownState = (of: Approval): string => (of.state === 'pending' && !isOpen(of) ? 'expired' : of.state);

const State = ({ of }: { of: Approval }): ReactNode => <StateMark state={shownState(of)} />;

/** By whom and when, and when the request was sent with it. */
function Decided({ of: { decidedByName, decidedAt, usedAt } }: { of: Approval }): ReactNode {
  if (decidedByName === null) return <span className="quiet">by no one</span>;
  return (
    <span className="foreign">
      {decidedByName}, <Ago at={decidedAt} />
      {usedAt && (
        <span className="small quiet">
          <br />
          sent <Ago at={usedAt} />
        </span>
      )}
    </span>
  );
}

function DecisionDialog({ approval, verb, onClose }: Decision & { onClose: () => void }): ReactNode {
  const { id } = approval;
  const [comment, setComment] = useState('');
  const decide = useAction({
    run: () => {
      const headers = comment.trim() === '' ? {} : { headers: { 'x-change-reason': comment.trim() } };
      const request = { params: { path: { approvalId: id } }, ...headers };
      return verb === 'approve'
        ? api.post('/v1/approvals/{approvalId}/approve', request)
        : api.post('/v1/approvals/{approvalId}/reject', request);
    },
    done: verb === 'approve' ? 'The request is approved' : 'The request is rejected',
    refreshes: ['approvals'],
    after: onClose,
  });
  return (
    <FormDialog
      title={verb === 'approve' ? 'Approve this request' : 'Reject this request'}
      send={verb === 'approve' ? 'Approve' : 'Reject'}
      danger={verb === 'reject'}
      busy={decide.isPending}
      onSend={() => decide.mutate()}
      onClose={onClose}
    >
      <p>
        <strong className="foreign">{sentenceOf(approval)}.</strong>
      </p>
      {verb === 'approve' && <ApprovalFacts approval={approval} asked={readSummary(approval.summary)} />}
      <p className="small quiet foreign">
        {verb === 'approve'
          ? `Nothing happens yet: ${approval.requestedByName} sends exactly this request again, and the approval is used once.`
          : `Nothing happens: ${approval.requestedByName} cannot send it without an approval.`}
      </p>
      <TextField
        label="Comment"
        hint="Why; it is kept in the audit"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <EquivalentLines command={`approval ${verb} ${id}`} method="POST" path={`/v1/approvals/${id}/${verb}`} />
    </FormDialog>
  );
}
