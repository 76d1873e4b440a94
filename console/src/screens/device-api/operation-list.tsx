import { type ReactNode, useState } from 'react';
import { wordsOfService } from '../../../../src/device-api/words/dictionary.js';
import { readable } from '../../../../src/device-api/words/readable.js';
import { countText, numberText } from '../../api/amount-text.js';
import { TextField } from '../../ui/field.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import css from './device-api.module.css';
import { type Operation } from './operation.js';

/** More than this is not read: the search narrows it. */
const SHOWN = 80;

/** The operations of the device's document, folded by the first part of their paths; each is a link that fills in the request. */
export function OperationList({ operations }: { operations: readonly Operation[] }): ReactNode {
  const [text, setText] = useAddressText('operations');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ method, path, summary }) => {
    const all = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const isSearch = words.length > 0;
  return (
    <div className="stack">
      <TextField
        label="Find an operation"
        type="search"
        placeholder="Such as: wireguard put"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <nav className={css.operations} aria-label="Operations of the device">
        {isSearch ? (
          <Links operations={found.slice(0, SHOWN)} />
        ) : (
          groupsOf(found).map((group) => <Group key={group.name} group={group} />)
        )}
      </nav>
      <p className="small quiet" role="status">
        {found.length === 0
          ? 'No operation has these words.'
          : isSearch && found.length > SHOWN
            ? `${countText(found.length, 'operation')}; the first ${SHOWN} are shown.`
            : countText(found.length, 'operation')}
      </p>
    </div>
  );
}

interface OperationGroup {
  /** The first part of the paths. */
  readonly name: string;
  readonly title: string;
  readonly members: readonly Operation[];
}

const groupsOf = (operations: readonly Operation[]): readonly OperationGroup[] => {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const name = operation.path.split('/')[2] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), operation]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, title: titleOf(name), members }))
    .toSorted((one, other) => one.title.localeCompare(other.title));
};

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** `access_control` as "Access control", and `wireguard` as its makers write it. */
function titleOf(name: string): string {
  const { title } = wordsOfService(name);
  return letters(title) === letters(name) ? title : readable(name);
}

function Group({ group: { name, title, members } }: { group: OperationGroup }): ReactNode {
  const [search] = useSearchText();
  const isChosen = members.some(({ path, method }) => path === search['path'] && method === search['method']);
  const [isOpen, setOpen] = useState(isChosen);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="foreign" title={name}>
        {title} <span className={css.count}>{numberText(members.length)}</span>
      </summary>
      {isOpen && <Links operations={members} />}
    </details>
  );
}

function Links({ operations }: { operations: readonly Operation[] }): ReactNode {
  return (
    <ul>
      {operations.map((operation) => (
        <li key={`${operation.method} ${operation.path}`}>
          <OperationLink operation={operation} />
        </li>
      ))}
    </ul>
  );
}

function OperationLink({ operation: { method, path, summary } }: { operation: Operation }): ReactNode {
  const [search] = useSearchText();
  const isChosen = search['method'] === method && search['path'] === path;
  return (
    <To to="." search={{ ...withoutArguments(search), method, path }} className={isChosen ? css.chosen : undefined}>
      <span className={css.method} data-method={method}>
        {method}
      </span>
      <span className={`${css.operation} foreign`}>
        <code>{path.slice('/api'.length)}</code>
        <span className="small quiet">{summary}</span>
      </span>
    </To>
  );
}

/** Values of placeholders belong to the operation that was chosen before. */
const withoutArguments = (search: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !name.startsWith('arg.')));
