import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Page } from '../../../ui/page.js';
import { DraftForm } from './draft-form.js';

/** Changes the draft of a template; what is published stays in force. */
export const EditDraft = ({ template }: { template: Schema<'Template'> }): ReactNode => (
  <Page title={`Edit ${template.name}`}>
    <DraftForm template={template} />
  </Page>
);
