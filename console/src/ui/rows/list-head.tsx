import { type ReactNode, useState } from 'react';
import { type List } from '../../api/lists.js';
import { Button } from '../button.js';
import { Filters } from '../filters.js';
import styles from './filters.module.css';

/** Of fewer rows each is seen at once: figures and filters then take no more room than the rows. */
const SHORT = 10;

export const isShortList = ({ rows, hasMore }: Pick<List<unknown>, 'rows' | 'hasMore'>): boolean =>
  rows.length < SHORT && !hasMore;

interface ListHeadProps {
  list: Pick<List<unknown>, 'rows' | 'hasMore' | 'isLoading'>;
  /** Whether a filter is set: then the filters stay open. */
  isNarrowed: boolean;
  /** The figures of the list; nothing, where its rows say as much. */
  figures?: (isFolded: boolean) => ReactNode;
  /** The controls that narrow it. */
  children: ReactNode;
}

/**
 * What stands above a list. It comes with the rows, so that it moves nothing. Of a short list it is one line: its figures, and the
 * filters behind a button. A short list without figures has no filters while none is set.
 */
export function ListHead({ list, isNarrowed, figures, children }: ListHeadProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (isNarrowed && !isOpen) setOpen(true); // it stays, when the filter is cleared
  if (list.isLoading) return null;
  const isShort = isShortList(list) && !isNarrowed;
  const shown = figures?.(isShort) || null;
  if (isShort && !shown && !isOpen) return null;
  if (!isShort || !shown)
    return (
      <>
        {shown}
        <Filters isNarrowed={isNarrowed || isOpen}>{children}</Filters>
      </>
    );
  return (
    <>
      <div className={styles['folded']}>
        {shown}
        <Button kind="quiet" icon="sliders" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filter
        </Button>
      </div>
      {isOpen && <Filters>{children}</Filters>}
    </>
  );
}
