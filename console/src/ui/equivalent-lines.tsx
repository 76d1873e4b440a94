import { type ReactNode } from 'react';
import { commandLine, curlLine, type Equivalent } from '../api/equivalents.js';
import { gatewayUrl } from '../api/own-path.js';
import { CopyButton } from './copy.js';

/** The same action as a command and as curl, to copy. */
export function EquivalentLines(equivalent: Equivalent): ReactNode {
  const command = commandLine(equivalent);
  return (
    <details className="equivalent">
      <summary className="small quiet">Do this from a shell</summary>
      <div className="stack">
        {command && <Line text={command} />}
        <Line text={curlLine(equivalent, gatewayUrl())} />
      </div>
    </details>
  );
}

/** One line of code with a button that copies it. */
export function Line({ text }: { text: string }): ReactNode {
  return (
    <div className="code-line">
      <code className="code wrap" tabIndex={0}>
        {text}
      </code>
      <CopyButton text={text} />
    </div>
  );
}
