import { useBlocker } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { Button } from '../button.js';
import { Dialog } from '../dialog.js';
import { hasUnsaved, mayLeave, useLeaveQuestion } from './unsaved.js';

interface Move {
  readonly action: string;
  readonly current: { readonly pathname: string };
  readonly next: { readonly pathname: string };
}

/** A form that writes its own state into the address stays where it is. */
const staysThere = ({ action, current, next }: Move) => action === 'REPLACE' && current.pathname === next.pathname;

const shouldBlock = async (move: Move) => !staysThere(move) && !(await mayLeave());

/** Asks before typed input is lost. The screens below keep it until the answer. */
export function LeaveQuestion(): ReactNode {
  useBlocker({ shouldBlockFn: shouldBlock, enableBeforeUnload: () => hasUnsaved() });
  const asked = useLeaveQuestion();
  if (!asked) return null;
  const stay = () => asked.answer(false);
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p className="dialog-body">What you typed here is not saved, and will be lost.</p>
      <div className="dialog-foot">
        <Button kind="danger" onClick={() => asked.answer(true)}>
          Leave without saving
        </Button>
        <Button kind="primary" data-first onClick={stay}>
          Keep editing
        </Button>
      </div>
    </Dialog>
  );
}
