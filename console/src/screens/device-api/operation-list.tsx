import { type ReactNode } from 'react';
import { TextField } from '../../ui/field.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import { type Operation } from './operation.js';

/** More than this is not read: the search narrows it. */
const SHOWN = 80;

/** The operations of the device's document; each is a link that fills in the request. */
export function OperationList({ operations }: { operations: readonly Operation[] }): ReactNode {
  const [text, setText] = useAddressText('operations');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ method, path, summary }) => {
    const all = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <div className="stack">
      <TextField
        label="Find an operation"
        type="search"
        placeholder="Such as: wireguard put"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ul className="operations" aria-label="Operations of the device">
        {found.slice(0, SHOWN).map((operation) => (
          <li key={`${operation.method} ${operation.path}`}>
            <OperationLink operation={operation} />
          </li>
        ))}
      </ul>
      <p className="small quiet" role="status">
        {found.length === 0
          ? 'No operation has these words.'
          : found.length > SHOWN
            ? `${found.length} operations; the first ${SHOWN} are shown.`
            : `${found.length} operations`}
      </p>
    </div>
  );
}

function OperationLink({ operation: { method, path, summary } }: { operation: Operation }): ReactNode {
  const [search] = useSearchText();
  const isChosen = search['method'] === method && search['path'] === path;
  return (
    <To
      to="."
      search={{ ...withoutArguments(search), method, path }}
      className={isChosen ? 'operation chosen' : 'operation'}
    >
      <span className="method">{method}</span>
      <span className="foreign">
        <code>{path.slice('/api'.length)}</code>
        <span className="small quiet">{summary}</span>
      </span>
    </To>
  );
}

/** Values of placeholders belong to the operation that was chosen before. */
const withoutArguments = (search: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !name.startsWith('arg.')));
