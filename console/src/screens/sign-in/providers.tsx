import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';
import { KEYS } from '../../api/keys/query-keys.js';

interface ProvidersProps {
  /** The screen after the sign-in, below /console. */
  next: string;
  /** The page stays: the sign-in is in another tab. */
  isApart?: boolean;
}

/** A link to each OpenID provider. */
export function Providers({ next, isApart = false }: ProvidersProps): ReactNode {
  const { data } = useQuery({ queryKey: KEYS.oidc.all, queryFn: ({ signal }) => api.get('/v1/oidc', { signal }) });
  if (!data?.items.length) return null;
  return (
    <div className="stack">
      {data.items.map(({ id, name }) => (
        <a
          key={id}
          className="button"
          href={ownPath(`/v1/oidc/${encodeURIComponent(id)}/login?returnTo=${encodeURIComponent(`/console${next}`)}`)}
          {...(isApart ? { target: '_blank', rel: 'noreferrer' } : {})}
        >
          Sign in with {name}
          {isApart && ', in another tab'}
        </a>
      ))}
    </div>
  );
}
