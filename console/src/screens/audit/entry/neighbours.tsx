import { type ReactNode, useEffect } from 'react';
import { Button } from '../../../ui/button.js';
import { useSearchText } from '../../../ui/to.js';
import { useEntries } from '../use-entries.js';

/** Leads to the entries before and after one, in the order of the list behind it; nothing where that list does not have it. */
export function Neighbours({ entryId }: { entryId: string }): ReactNode {
  const [, change] = useSearchText();
  const { rows, hasMore, isLoadingMore, more } = useEntries().list;
  const at = rows.findIndex(({ id }) => id === entryId);
  const isLast = at !== -1 && at === rows.length - 1;
  useEffect(() => {
    if (isLast && hasMore) more();
  }, [isLast, hasMore, more]);
  if (at === -1) return null;
  const newer = rows[at - 1];
  const older = rows[at + 1];
  return (
    <nav className="row" aria-label="Other entries of the list">
      <Button disabled={!newer} onClick={() => change({ entry: newer?.id })}>
        Newer entry
      </Button>
      <Button disabled={!older} busy={isLast && isLoadingMore} onClick={() => change({ entry: older?.id })}>
        Older entry
      </Button>
    </nav>
  );
}
