import { type ReactNode, useState } from 'react';
import { type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { RowActions } from '../../../ui/rows/row-actions.js';
import { SetLock } from '../set-lock.js';
import { Invite } from './invite.js';
import { AssignRoles, Disable, RemoveSecondFactor } from './person-dialogs.js';
import { isWaiting } from './person-state.js';

type Operator = Schema<'Operator'>;

const DIALOGS = { invite: Invite, roles: AssignRoles, disable: Disable, factor: RemoveSecondFactor, lock: LockPerson };
type Dialog = keyof typeof DIALOGS;

const LINK = 'A link with which they choose a password';

interface PersonActionsProps {
  operator: Operator;
  /** Keys of theirs that work; null: the reader may not see them. */
  keys: number | null;
}

/** What the reader may do with a person, in the row of a list and on the person's page. */
export function PersonActions({ operator, keys }: PersonActionsProps): ReactNode {
  const [open, setOpen] = useState<Dialog | null>(null);
  const mayManage = useMay('operator.manage');
  const mayAssign = useMay('role.manage');
  const mayLock = useMay('lock.manage');
  const { name, hasPassword, hasSecondFactor, disabledAt } = operator;
  const opens = (dialog: Dialog) => () => setOpen(dialog);
  // The one that is wanted next is a button: a person without a password waits for their link.
  const isNext = mayManage && isWaiting(operator, keys);
  const OpenDialog = open && DIALOGS[open];
  return (
    <>
      <RowActions
        of={name}
        actions={[
          isNext && { text: 'Invite', label: 'Invite', title: LINK, onSelect: opens('invite') },
          mayAssign && { text: 'Roles', ...(isNext ? {} : { label: 'Roles' }), onSelect: opens('roles') },
          mayManage &&
            !isNext && { text: hasPassword ? 'New password' : 'Invite', title: LINK, onSelect: opens('invite') },
          mayManage && hasSecondFactor && { text: 'Reset second factor', onSelect: opens('factor') },
          mayLock && { text: 'Lock …', isDanger: true, onSelect: opens('lock') },
          mayManage && {
            text: disabledAt ? 'Enable' : 'Disable',
            isDanger: disabledAt === null,
            onSelect: opens('disable'),
          },
        ]}
      />
      {OpenDialog && <OpenDialog operator={operator} onClose={() => setOpen(null)} />}
    </>
  );
}

function LockPerson({ operator, onClose }: { operator: Operator; onClose: () => void }): ReactNode {
  return <SetLock person={operator.id} onClose={onClose} />;
}
