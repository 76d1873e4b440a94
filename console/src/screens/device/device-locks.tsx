import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Ago } from '../../ui/time.js';

type Lock = Schema<'LockView'>;

/** What a lock stops, and why. Calls stop; whether the device answers is looked at without one. */
export const lockFact = ({ kind, reason }: Lock): string =>
  kind === 'writes' ? `All writes are stopped: ${reason}` : `Locked, no calls: ${reason}`;

/** Each of the locks with its author and its end. */
export function LockFacts({ id, locks }: { id: string; locks: readonly Lock[] }): ReactNode {
  return locks.map((lock) => (
    <span key={lock.id} className="foreign">
      {lockFact(lock)}{' '}
      <span className="quiet">
        by {lock.createdByName}, <Ago at={lock.createdAt} />
        {lock.kind === 'selector' && lock.target !== `id=${id}` && (
          <>
            , for <code>{lock.target}</code>
          </>
        )}
        ;{' '}
        {lock.endsAt ? (
          <>
            ends <Ago at={lock.endsAt} />
          </>
        ) : (
          'ends when it is lifted'
        )}
      </span>
    </span>
  ));
}
