import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { Notice } from '../../../ui/messages.js';
import { AddItem } from './add-item.js';
import { type DraftItem } from './draft-items.js';
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
        <p className="quiet">Add the first item. It names one section of a service, and what it should have.</p>
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
          Add an item
        </Button>
      </div>
      <Notice>
        A value can differ by device: {'{{'}device.name{'}}'} is the name of the device, {'{{'}field.vlan{'}}'} its
        custom field. An empty value removes the option.
      </Notice>
      {isAdding && (
        <AddItem
          selector={selector}
          onAdd={(item) => {
            onItems([...items, item]);
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}
