import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText, pluralText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Failure, Notice } from '../../ui/messages.js';
import { To } from '../../ui/to.js';

/** The devices on which something else sets an option, too: no job sets them to the template before a person resumes them. */
export function Suspended({ template: { name, sync } }: { template: Schema<'Template'> }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const mayResume = useMay('template.publish');
  const count = sync.suspended ?? 0;
  if (count === 0) return null;
  return (
    <Notice tone="warn">
      <strong>
        {countText(count, 'device')} {pluralText(count, 'is', 'are')} suspended
      </strong>
      <span>
        One option was put back for the third time in seven days: something else sets it, too. Find it in the changes of
        the device first. Then ignore the option there for a time, or leave it out of the template.
      </span>
      <span className="row">
        <To to={`/templates/${name}`} search={{ sync: 'suspended' }}>
          Show them
        </To>
        {mayResume && <Button onClick={() => setOpen(true)}>Resume all</Button>}
      </span>
      {isOpen && <ResumeDialog template={name} selector="all" onClose={() => setOpen(false)} />}
    </Notice>
  );
}

interface ResumeProps {
  readonly template: string;
  readonly selector: string;
  /** The name of the only one. */
  readonly device?: string;
  readonly onClose: () => void;
}

/** Ends suspensions. */
export function ResumeDialog({ template, selector, device, onClose }: ResumeProps): ReactNode {
  const path = { templateName: template };
  const resume = useAction({
    run: () => api.post('/v1/templates/{templateName}/resume', { params: { path }, body: { selector } }),
    done: ({ devices }) => `The suspension of ${countText(devices, 'device')} has ended`,
    refreshes: ['templates'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={device === undefined ? `Resume the suspended devices of ${template}` : `Resume ${device} for ${template}`}
      send="Resume"
      busy={resume.isPending}
      onSend={() => resume.mutate()}
      onClose={onClose}
    >
      <p>
        Changes no router now. From now on jobs and rollouts set {device === undefined ? 'these devices' : 'it'} to the
        template again. Where the other master is still at work, the suspension comes back.
      </p>
      {resume.error ? <Failure error={resume.error} /> : null}
      <EquivalentLines
        command={`template resume ${template}${selector === 'all' ? '' : ` -l ${shellWord(selector)}`}`}
        method="POST"
        path={`/v1/templates/${template}/resume`}
        body={{ selector }}
      />
    </FormDialog>
  );
}
