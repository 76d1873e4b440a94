import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { TextField } from '../../ui/field.js';
import css from './device-api.module.css';
import { matching } from './json-search.js';

/** Objects and lists down to this depth are open at first. */
const OPEN_DEPTH = 2;

/** Entries of one object or list that are drawn. */
const SHOWN = 200;

/** A value as a tree that folds, and a search that leaves what has the text. @param label what it is, for screen readers */
export function JsonTree({ label, value }: { label: string; value: unknown }): ReactNode {
  const [text, setText] = useState('');
  const found = text.trim() === '' ? value : matching(value, text.trim().toLowerCase());
  return (
    <div className="stack">
      <TextField
        label="Find in the answer"
        type="search"
        placeholder="A name or a value"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={`${css.json} foreign`} role="region" aria-label={label} tabIndex={0}>
        {found === undefined ? (
          'Nothing in the answer has this text.'
        ) : (
          <Node key={text} value={found} depth={text === '' ? 0 : -SHOWN} />
        )}
      </div>
    </div>
  );
}

interface NodeProps {
  name?: string;
  value: unknown;
  depth: number;
}

function Node({ name, value, depth }: NodeProps): ReactNode {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const title = name === undefined ? null : <span className={css.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return (
      <>
        {title}
        <span className={css.value} data-type={value === null ? 'null' : typeof value}>
          {JSON.stringify(value)}
        </span>
      </>
    );
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}
        <span className="quiet">
          {Array.isArray(value) ? countText(entries.length, 'entry', 'entries') : countText(entries.length, 'field')}
        </span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, SHOWN).map(([key, inner]) => (
            <li key={key}>
              <Node name={key} value={inner} depth={depth + 1} />
            </li>
          ))}
          {entries.length > SHOWN && <li className="quiet">{entries.length - SHOWN} more: see Raw.</li>}
        </ul>
      )}
    </details>
  );
}
