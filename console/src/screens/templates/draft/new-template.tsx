import { type ReactNode } from 'react';
import { Page } from '../../../ui/page.js';
import { DraftForm } from './draft-form.js';

/** Makes a template; it is a draft until it is published. */
export const NewTemplate = (): ReactNode => (
  <Page title="New template">
    <DraftForm template={null} />
  </Page>
);
