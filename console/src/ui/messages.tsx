import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type LinkOfProblem } from '../../../src/api-client/problem-links.js';
import { ownPath } from '../api/own-path.js';
import { tell } from '../api/problems.js';
import { selfQuery } from '../api/queries.js';
import { Button } from './button.js';
import { Line } from './equivalent-lines.js';
import { To } from './to.js';

interface FailureProps {
  error: unknown;
  onRetry?: () => void;
  /** Whether a field of the form, by its JSON pointer or its name, shows its error itself. */
  placed?: ((pointer: string, name: string) => boolean) | undefined;
}

/** What went wrong, what to do and where, and the id of the request. */
export function Failure({ error, onRetry, placed }: FailureProps): ReactNode {
  const { title, detail, link, code, requestId, fields } = tell(error);
  const others = fields.filter(({ pointer, name }) => !placed?.(pointer, name));
  const box = useRef<HTMLDivElement>(null);
  // In a long form it would stand below the edge, and the form would seem to do nothing.
  useEffect(() => {
    if (error && box.current?.closest('dialog')) box.current.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div ref={box} className="notice" data-tone="bad" data-code={code} role="alert">
      <strong className="foreign">{title}.</strong>
      {detail && <span className="foreign">{detail}</span>}
      {others.length > 0 && (
        <ul>
          {others.map(({ label, detail: wrong }) => (
            <li key={label + wrong} className="foreign">
              <strong>{label}</strong>: {wrong}
            </li>
          ))}
        </ul>
      )}
      {(link ?? onRetry) && (
        <div className="row">
          {link && <ProblemLink {...link} />}
          {onRetry && (
            <Button icon="refresh" onClick={onRetry}>
              Try again
            </Button>
          )}
        </div>
      )}
      {requestId && (
        <span className="small quiet">
          Request <code>{requestId}</code>
        </span>
      )}
    </div>
  );
}

/** Leads to the screen where something can be done, for those who may see it. */
function ProblemLink({ text, to, needs }: LinkOfProblem): ReactNode {
  const { data: self } = useQuery({ ...selfQuery, enabled: needs !== undefined });
  const isInRouter = useRouter({ warn: false }) !== undefined;
  if (needs !== undefined && !self?.permissions.includes(needs)) return null;
  const [path = '', query] = to.split('?');
  if (!isInRouter) return <a href={ownPath(`/console${to}`)}>{text}</a>;
  return (
    <To to={path} search={Object.fromEntries(new URLSearchParams(query))}>
      {text}
    </To>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  /** The command that does the first step. */
  command?: string;
  action?: ReactNode;
}

/** A list without rows says what would stand there, and how to get the first one. */
export function Empty({ title, children, command, action }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
      {command && (
        <details className="equivalent">
          <summary className="small quiet">Do this from a shell</summary>
          <Line text={command} />
        </details>
      )}
    </div>
  );
}

export function Loading({ what = 'Loading' }: { what?: string }): ReactNode {
  return (
    <p className="quiet" role="status" aria-busy="true">
      {what} …
    </p>
  );
}

export function Notice({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warn' | 'bad' | 'strange';
  children: ReactNode;
}): ReactNode {
  return (
    <div className="notice" data-tone={tone}>
      {children}
    </div>
  );
}
