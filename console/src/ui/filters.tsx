import { type ReactNode, useContext, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from './button.js';
import { SelectField } from './field.js';
import { HeadEnd } from './page.js';
import { useNarrow } from './rows/narrow.js';
import styles from './rows/filters.module.css';
import { type SearchText, useSearchText } from './to.js';

interface FiltersProps {
  /** Whether a filter is set. On narrow screens the controls are folded while none is; absent: they never are. */
  isNarrowed?: boolean;
  children: ReactNode;
}

/** The controls that narrow a list; their values stand in the address. */
export function Filters({ isNarrowed, children }: FiltersProps): ReactNode {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  if (isNarrowed === true && !isOpen) setOpen(true); // it stays, when the filter is cleared
  const end = useContext(HeadEnd);
  if (isNarrow && isNarrowed === false && !isOpen) {
    const button = (
      <span role="search">
        <Button icon="sliders" aria-expanded={false} onClick={() => setOpen(true)}>
          Filter
        </Button>
      </span>
    );
    return end ? createPortal(button, end) : button;
  }
  return (
    <div className={styles['filters']} role="search">
      {children}
    </div>
  );
}

interface SelectFilterProps {
  label: string;
  /** Its name in the address. */
  param: string;
  options: readonly (readonly [value: string, text: string])[];
  /** What is shown without a choice; absent: any. */
  none?: string;
  /** Removed from the address when this one changes. */
  clears?: SearchText;
}

export function SelectFilter({ label, param, options, none = 'Any', clears = {} }: SelectFilterProps): ReactNode {
  const [search, change] = useSearchText();
  return (
    <SelectField
      label={label}
      value={search[param] ?? ''}
      options={[['', none], ...options]}
      onChange={(event) => change({ ...clears, pages: undefined, [param]: event.target.value || undefined })}
    />
  );
}
