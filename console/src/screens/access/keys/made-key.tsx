import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { Line } from '../../../ui/equivalent-lines.js';
import { Notice } from '../../../ui/messages.js';

/** A key is in one answer only: it stays on the screen until the person closes it. */
export function MadeKey({ made, onClose }: { made: Schema<'IssuedApiKey'>; onClose: () => void }): ReactNode {
  return (
    <Dialog title={`The key ${made.name}`} onClose={onClose}>
      <div className="dialog-body">
        <Notice tone="warn">Copy it now: it is shown only here, and stored as a digest.</Notice>
        <Line text={made.key} />
        <div>
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
