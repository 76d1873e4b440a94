import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { Dialog, FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines, Line } from '../../../ui/equivalent-lines.js';
import { Ago } from '../../../ui/time.js';

interface InviteProps {
  operator: Schema<'Operator'>;
  /** The link that was made with the person; null: none yet. */
  made?: Schema<'Invitation'> | null;
  onClose: () => void;
}

/** Makes the link with which a person sets a password. It is shown once. */
export function Invite({ operator: { id, name, hasPassword }, made: first = null, onClose }: InviteProps): ReactNode {
  const [made, setMade] = useState(first);
  const invite = useAction({
    run: () => api.post('/v1/operators/{operatorId}/invitation', { params: { path: { operatorId: id } } }),
    done: 'The invitation is made',
    after: setMade,
  });
  if (made) {
    return (
      <Dialog title={`Invitation for ${name}`} onClose={onClose}>
        <div className="dialog-body">
          <p className="quiet">
            Give this link to the person. It is shown only now, works once, and ends <Ago at={made.expiresAt} />.
          </p>
          <Line text={made.url} />
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={hasPassword ? `New password for ${name}` : `Invite ${name}`}
      send="Make a link"
      busy={invite.isPending}
      onSend={() => invite.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        Makes a link with which <span className="foreign">{name}</span> chooses{' '}
        {hasPassword ? 'a new password, in place of a forgotten one' : 'the first password'}. It works once; an earlier
        link stops working.
      </p>
      <EquivalentLines command={`operator invite ${id}`} method="POST" path={`/v1/operators/${id}/invitation`} />
    </FormDialog>
  );
}
