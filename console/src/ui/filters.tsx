import { type ReactNode } from 'react';
import { SelectField } from './field.js';
import styles from './rows/filters.module.css';
import { type SearchText, useSearchText } from './to.js';

/** The controls that narrow a list; their values stand in the address. */
export function Filters({ children }: { children: ReactNode }): ReactNode {
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
