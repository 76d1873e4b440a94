import { type ReactNode } from 'react';
import { Chip, Chips } from '../../ui/devices/chips.js';
import { useSearchText } from '../../ui/to.js';
import { type RememberedCall } from './remembered-calls.js';
import { COMMON_CALLS } from './requests.js';
import { useRememberedCalls } from './use-remembered-calls.js';
import styles from './fan-outs.module.css';

/** Calls that are asked often, favourites and the last ones: a click fills them in. A star keeps the one that is filled in. */
export function RememberedCalls(): ReactNode {
  const [{ method = 'GET', path = '', selector = '' }, change] = useSearchText();
  const [{ favourites, last }, mark] = useRememberedCalls();
  const isMarked = (call: RememberedCall) => favourites.some((one) => keyOf(one) === keyOf(call));
  const now = { method, path, selector };
  const others = last.filter((call) => !isMarked(call));
  const chip = (call: RememberedCall) => (
    <Chip key={keyOf(call)} isOn={keyOf(call) === keyOf(now)} title={keyOf(call)} onClick={() => change({ ...call })}>
      {call.method} {call.path} · {call.selector}
    </Chip>
  );
  return (
    <div className={styles['remembered']}>
      <Line title="Often asked">
        {COMMON_CALLS.map(([name, common]) => (
          <Chip
            key={common}
            isOn={method === 'GET' && path === common}
            title={`GET ${common}`}
            onClick={() => change({ method: 'GET', path: common })}
          >
            {name}
          </Chip>
        ))}
      </Line>
      {favourites.length > 0 && <Line title="Favourites">{favourites.map(chip)}</Line>}
      {others.length > 0 && <Line title="Last calls">{others.map(chip)}</Line>}
      {path.startsWith('/') && selector !== '' && (
        <button
          type="button"
          className={`button ${styles['star']}`}
          data-kind="quiet"
          aria-pressed={isMarked(now)}
          onClick={() => mark(now)}
        >
          {isMarked(now) ? '★ A favourite' : '☆ Keep as a favourite'}
        </button>
      )}
    </div>
  );
}

function Line({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className={styles['line']}>
      <h3>{title}</h3>
      <Chips label={title}>{children}</Chips>
    </div>
  );
}

const keyOf = ({ method, path, selector }: RememberedCall): string => `${method} ${path} ${selector}`;
