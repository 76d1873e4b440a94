import { type ReactNode, useState } from 'react';
import { Button } from '../button.js';
import { Dialog } from '../dialog.js';
import { Facts } from '../page.js';
import { InLine } from './narrow.js';

interface RowDetailsProps {
  /** The name of the row. */
  title: string;
  /** All that the row has on a wide screen. */
  facts: readonly (readonly [title: string, value: ReactNode])[];
  /** The heading of the row. */
  children: ReactNode;
}

/** On a narrow screen: the heading of a row that has no screen of its own. It opens all values of the row. */
export function RowDetails({ title, facts, children }: RowDetailsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <InLine value={true}>{children}</InLine>
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <div className="dialog-body">
            <Facts of={facts} />
          </div>
        </Dialog>
      )}
    </>
  );
}
