import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Marked } from '../../../ui/marked.js';
import { reasonText } from './answer-text.js';

/** Why somebody may do something or not; the permission that was asked about is its tooltip. */
export function Because({ of: { because, permission } }: { of: Schema<'RightExplained'> }): ReactNode {
  return (
    <span className="foreign" title={permission}>
      <Marked text={reasonText(because)} />
    </span>
  );
}
