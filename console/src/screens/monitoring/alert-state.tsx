import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';

/** Whether an alert is open, or waits to open or to close. */
export function AlertState({ alert: { state, closedAt, clearedAt } }: { alert: Schema<'Alert'> }): ReactNode {
  if (state === 'pending') return <Mark tone="plain">Not open yet</Mark>;
  if (state === 'closed')
    return (
      <span className="quiet">
        closed <Ago at={closedAt} />
      </span>
    );
  return clearedAt ? <Mark tone="good">Over, waits to close</Mark> : <Mark tone="busy">Open</Mark>;
}
