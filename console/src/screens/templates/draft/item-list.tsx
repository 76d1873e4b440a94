import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { AddItem } from './add-item.js';
import { type DraftItem, withItems } from './draft-items.js';
import { ItemFields } from './item-fields.js';

interface ItemListProps {
  readonly items: readonly DraftItem[];
  /** Whose sections are offered. */
  readonly selector: string;
  readonly onItems: (items: readonly DraftItem[]) => void;
}

/** The items of a draft, each with its fields. */
export function ItemList({ items, selector, onItems }: ItemListProps): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const put = (at: number, item: DraftItem) => onItems(items.map((one, index) => (index === at ? item : one)));
  return (
    <div className="stack">
      {items.length === 0 && (
        <p className="quiet">
          Add the first settings. Everything that is not named here stays as it is on each router.
        </p>
      )}
      {items.map((item, at) => (
        <ItemFields
          key={at}
          item={item}
          onItem={(changed) => put(at, changed)}
          onRemove={() => onItems(items.filter((_, index) => index !== at))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => setAdding(true)}>
          Add settings
        </Button>
      </div>
      {items.length > 0 && (
        <p className="small quiet">
          A value can differ by device: <code>{'{{device.name}}'}</code> is the name of the device,{' '}
          <code>{'{{field.vlan}}'}</code> its custom field.
        </p>
      )}
      {isAdding && (
        <AddItem
          selector={selector}
          onAdd={(added) => {
            onItems(withItems(items, added));
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}
