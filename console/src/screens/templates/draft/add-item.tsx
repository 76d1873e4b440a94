import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import { FormDialog } from '../../../ui/dialog.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';
import { watchesQuery } from '../../observed/place.js';
import { templatePaths } from '../template-paths.js';
import { ChooseSection } from './choose-section.js';
import { ChooseSettings } from './choose-settings.js';
import { type DraftItem } from './draft-items.js';

interface AddItemProps {
  readonly selector: string;
  readonly onAdd: (items: readonly DraftItem[]) => void;
  readonly onClose: () => void;
}

/** Asks what the template is to fix: settings by a search, or a whole entry of a list. */
export function AddItem({ selector, onAdd, onClose }: AddItemProps): ReactNode {
  const watches = useQuery(watchesQuery);
  const [isAdvanced, setAdvanced] = useState(false);
  const [items, setItems] = useState<readonly DraftItem[]>([]);
  const { paths, read } = useMemo(() => {
    const all = watches.data?.items ?? [];
    return { paths: templatePaths(all), read: templatePaths(all.filter(({ enabled }) => enabled)) };
  }, [watches.data]);
  const of = selector || 'all';
  const setItem = useCallback((item: DraftItem | null) => setItems(item === null ? [] : [item]), []);
  const turn = () => {
    setAdvanced(!isAdvanced);
    setItems([]);
  };
  return (
    <FormDialog
      title="What should be fixed?"
      size="wide"
      send={
        isAdvanced ? 'Add the entry' : items.length === 0 ? 'Add settings' : `Add ${countText(items.length, 'setting')}`
      }
      disabled={items.length === 0}
      missing={[items.length === 0 && (isAdvanced ? 'a setting of the entry' : 'a setting')]}
      onSend={() => onAdd(items)}
      onClose={onClose}
    >
      {watches.error ? (
        <Failure error={watches.error} onRetry={() => void watches.refetch()} />
      ) : !watches.data ? (
        <Loading />
      ) : paths.length === 0 ? (
        <Notice>
          No watch reads a service that a template can name. A template is compared with what watches have read.
          <To to="/configuration" search={{ tab: 'watches' }}>
            Open the watches
          </To>
        </Notice>
      ) : (
        <>
          {isAdvanced ? (
            <ChooseSection paths={paths} read={read} selector={of} onItem={setItem} />
          ) : (
            <ChooseSettings paths={read.length > 0 ? read : paths} selector={of} onItems={setItems} />
          )}
          <div>
            <Button kind="link" onClick={turn}>
              {isAdvanced ? 'Back to settings' : 'Advanced: a whole entry of a list'}
            </Button>
          </div>
        </>
      )}
    </FormDialog>
  );
}
