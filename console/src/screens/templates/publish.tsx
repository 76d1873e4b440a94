import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { Button } from '../../ui/button.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure, Loading } from '../../ui/messages.js';
import { To, useGo } from '../../ui/to.js';
import { Overlaps, Warnings } from './plan.js';
import { planQuery } from './template-queries.js';

const LABELS = { selector: 'Devices', items: 'What it says' };

/** Publishes the draft, with a reason; what follows from it is said before. */
export function PublishDialog({ template, onClose }: { template: Schema<'Template'>; onClose: () => void }): ReactNode {
  const { name } = template;
  const path = { templateName: name };
  const [reason, setReason] = useState('');
  const plan = useQuery(planQuery(name));
  const go = useGo();
  const send = useUnchanged(template, LABELS, () =>
    api.answer('get', '/v1/templates/{templateName}', { params: { path } }),
  );
  const body = { reason: reason.trim() };
  const publish = useAction({
    run: () => send((header) => api.post('/v1/templates/{templateName}/publish', { params: { path, header }, body })),
    done: ({ number }) => `Version ${number} is published; no router was changed`,
    refreshes: ['templates'],
    after: () => {
      onClose();
      go(`/templates/${name}`);
    },
    quiet: true,
  });
  if ((plan.data?.overlaps.length ?? 0) > 0) return <Refused template={name} plan={plan.data!} onClose={onClose} />;
  return (
    <FormDialog
      title={`Publish ${name}`}
      send="Publish"
      busy={publish.isPending}
      disabled={body.reason === '' || plan.isPending}
      missing={[body.reason === '' && 'a reason']}
      onSend={() => publish.mutate()}
      onClose={onClose}
    >
      {plan.error ? (
        <Failure error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data ? (
        <>
          <p>
            Changes no router. <strong>{effectText(plan.data)}</strong> A rollout or a job sets them to it later, when a
            person starts one.
          </p>
          <Warnings plan={plan.data} />
        </>
      ) : (
        <Loading what="Planning" />
      )}
      <TextField
        label="Reason"
        hint="The version and the audit have it"
        placeholder="one time server for all pumps"
        maxLength={1000}
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {publish.error ? <Failure error={publish.error} /> : null}
      <EquivalentLines
        command={`template publish ${name} --reason ${shellWord(body.reason || 'REASON')}`}
        method="POST"
        path={`/v1/templates/${name}/publish`}
        body={body}
      />
    </FormDialog>
  );
}

/** What another template decides cannot be published: the ways out, and nothing to fill in. */
function Refused({ template, plan, onClose }: { template: string; plan: Schema<'TemplatePlan'>; onClose: () => void }) {
  const go = useGo();
  const others = [...new Set(plan.overlaps.map((one) => one.template))];
  return (
    <Dialog title={`${template} cannot be published`} onClose={onClose}>
      <div className="dialog-body">
        <Overlaps of={plan.overlaps} />
      </div>
      <div className="dialog-foot">
        {others.slice(0, 3).map((other) => (
          <To key={other} to={`/templates/${other}`} className="button">
            Open {other}
          </To>
        ))}
        <Button kind="primary" onClick={() => go(`/templates/${template}`, { tab: 'edit' })}>
          Edit the draft
        </Button>
      </div>
    </Dialog>
  );
}

/** `188 devices will differ, 4,812 are in sync.` */
function effectText({ changed, inSync }: Schema<'TemplatePlan'>): string {
  const differ = changed === 0 ? 'No device will differ' : `${countText(changed, 'device')} will differ`;
  return inSync > 0 ? `${differ}, ${numberText(inSync)} will be in sync.` : `${differ}.`;
}
