import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { failureText } from '../../ui/words/failure-text.js';
import { Mark } from '../../ui/mark.js';

type Recurring = Pick<Schema<'Schedule'>, 'enabled' | 'orphaned' | 'quarantinedAt' | 'lastError'>;

/** Whether a schedule or a backup policy runs, and why not. */
export function RecurringState({ of: { enabled, orphaned, quarantinedAt, lastError } }: { of: Recurring }): ReactNode {
  if (orphaned)
    return (
      <span title="Its author was disabled, or their key was revoked. Save it again to continue in your name.">
        <Mark tone="bad">Without author</Mark>
      </span>
    );
  if (quarantinedAt)
    return (
      <span title="Three processes of the gateway were lost while it ran. Save it again to continue.">
        <Mark tone="bad">Stopped after three crashes</Mark>
      </span>
    );
  if (!enabled) return <Mark tone="plain">Paused</Mark>;
  if (lastError)
    return (
      <span title={`The last run started nothing. ${failureText(lastError)}.`}>
        <Mark tone="warn">{failureText(lastError)}</Mark>
      </span>
    );
  return <Mark tone="set">Active</Mark>;
}
