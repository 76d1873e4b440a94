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
  /** The figures of the list. */
  figures?: (isFolded: boolean) => ReactNode;
  /** The controls that narrow it. */
  children: ReactNode;
}

/** What stands above a list. It comes with the rows, so that it moves nothing; of a short list it is one line. */
export function ListHead({ list, isNarrowed, figures, children }: ListHeadProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (isNarrowed && !isOpen) setOpen(true); // it stays, when the filter is cleared
  if (list.isLoading) return null;
  const isFolded = isShortList(list) && !isNarrowed;
  if (!isFolded || (isOpen && !figures))
    return (
      <>
        {figures?.(false)}
        <Filters isNarrowed={isNarrowed || isOpen}>{children}</Filters>
      </>
    );
  return (
    <>
      <div className={styles['folded']}>
        {figures?.(true)}
        {(figures !== undefined || list.rows.length > 0) && (
          <Button kind="quiet" icon="sliders" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Filter
          </Button>
        )}
      </div>
      {isOpen && <Filters>{children}</Filters>}
    </>
  );
}
