import { queryOptions } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** One entry of the audit. */
export const entryQuery = (entryId: string) =>
  queryOptions({
    queryKey: KEYS.audit.entry(entryId),
    queryFn: ({ signal }) => api.get('/v1/audit/{entryId}', { params: { path: { entryId } }, signal }),
  });

/** Callers that were no person yet: of a request without a key, and of a sign-in that failed. */
const STRANGERS = new Set(['anonymous', 'login']);

/** A person, a key, the gateway itself by one of its parts, or a caller without any of them. */
export const actorText = ({ actor, actorName }: Pick<Schema<'AuditEntry'>, 'actor' | 'actorName'>): string =>
  actor.startsWith('system:') ? `Gateway (${actorName})` : STRANGERS.has(actor) ? 'Not signed in' : actorName;

/** Who did it. */
export function Actor({ entry }: { entry: Schema<'AuditEntry'> }): ReactNode {
  return (
    <span className="foreign cut" title={entry.actor}>
      {actorText(entry)}
    </span>
  );
}
