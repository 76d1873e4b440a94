import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Mark } from '../../../ui/mark.js';
import { Marked } from '../../../ui/marked.js';
import { reasonText } from './answer-text.js';

interface BecauseProps {
  of: Schema<'RightExplained'>;
  /** That stops the person whatever their roles say. */
  lock?: Schema<'LockView'> | undefined;
}

/** Why somebody may do something or not; the permission that was asked about is its tooltip. */
export function Because({ of: { because, permission }, lock }: BecauseProps): ReactNode {
  if (lock) return <span className="foreign">Locked: {lock.reason}</span>;
  return (
    <span className="foreign" title={permission}>
      <Marked text={reasonText(because)} />
    </span>
  );
}

/** Yes, no, or on some devices or paths only. */
export function May({ of: { allowed, inPart }, lock }: BecauseProps): ReactNode {
  if (lock || !allowed) return <Mark tone="plain">no</Mark>;
  return <Mark tone={inPart ? 'busy' : 'good'}>{inPart ? 'in part' : 'yes'}</Mark>;
}
