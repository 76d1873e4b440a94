import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';

/** Who did it: a person, a key, or the gateway itself by one of its parts. */
export function Actor({ entry: { actor, actorName } }: { entry: Schema<'AuditEntry'> }): ReactNode {
  return (
    <span className="foreign cut" title={actor}>
      {actor.startsWith('system:') ? `Gateway (${actorName})` : actorName}
    </span>
  );
}
