import { type ReactNode } from 'react';
import { tell } from '../api/problems.js';
import { Button } from './button.js';
import { Line } from './equivalent-lines.js';

/** What went wrong, what to do, and the id of the request. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const { title, detail, code, requestId, fields } = tell(error);
  return (
    <div className="notice" data-tone="bad" role="alert">
      <strong>{title}.</strong>
      {detail && <span>{detail}</span>}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ name, detail: wrong }) => (
            <li key={name + wrong}>
              <code>{name}</code> {wrong}
            </li>
          ))}
        </ul>
      )}
      {(code ?? requestId) && (
        <span className="small quiet">
          {code && <code>{code}</code>}
          {requestId && (
            <>
              {' '}
              · request <code>{requestId}</code>
            </>
          )}
        </span>
      )}
      {onRetry && (
        <div>
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
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
      {command && <Line text={command} />}
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
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  children: ReactNode;
}): ReactNode {
  return (
    <div className="notice" data-tone={tone}>
      {children}
    </div>
  );
}
