import { type ReactNode } from 'react';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import styles from './answers/answers.module.css';
import { type RememberedCall } from './remembered-calls.js';
import { useRememberedCalls } from './use-remembered-calls.js';

/** Favourites and the last calls: a click fills them in, and a star keeps one. */
export function RememberedList(): ReactNode {
  const [{ favourites, last }, mark] = useRememberedCalls();
  if (favourites.length + last.length === 0) return null;
  const isMarked = (call: RememberedCall) => favourites.some((one) => keyOf(one) === keyOf(call));
  const row = (call: RememberedCall) => (
    <li key={keyOf(call)}>
      <Button
        kind="quiet"
        aria-pressed={isMarked(call)}
        aria-label={`Favourite: ${keyOf(call)}`}
        onClick={() => mark(call)}
      >
        {isMarked(call) ? '★' : '☆'}
      </Button>
      <To to="." search={{ ...call }} className="foreign cut" title={keyOf(call)}>
        <code>
          {call.method} {call.path}
        </code>{' '}
        <span className="quiet">{call.selector}</span>
      </To>
    </li>
  );
  const others = last.filter((call) => !isMarked(call));
  return (
    <div className="columns">
      {favourites.length > 0 && (
        <Card title="Favourites">
          <ul className={styles['remembered']}>{favourites.map(row)}</ul>
        </Card>
      )}
      {others.length > 0 && (
        <Card title="Last calls">
          <ul className={styles['remembered']}>{others.map(row)}</ul>
        </Card>
      )}
    </div>
  );
}

const keyOf = ({ method, path, selector }: RememberedCall): string => `${method} ${path} ${selector}`;
