import { type ReactNode } from 'react';
import { type ApiError } from '../../api/client.js';
import { useAddressText } from '../../ui/to.js';
import { ColumnChoice } from './column-choice.js';
import styles from './devices.module.css';
import { SelectorInput } from './filter/selector-input.js';

/** Another list is shown from its first row. */
const FROM_TOP = { row: undefined };

/** The search, the selector with completion and its error in place, and the columns. */
export function FilterLine({ refusal }: { refusal: ApiError | null }): ReactNode {
  const [q, setQ] = useAddressText('q', FROM_TOP);
  return (
    <div className={styles['filter-line']}>
      <input
        className="input"
        type="search"
        aria-label="Search devices"
        placeholder="Search name, serial number, MAC, site …"
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <SelectorInput refusal={refusal} />
      <ColumnChoice />
    </div>
  );
}
