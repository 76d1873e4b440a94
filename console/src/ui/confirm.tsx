import { type ReactNode, useState } from 'react';
import { FormDialog } from './dialog.js';
import { TextField } from './field.js';
import { type Equivalent } from '../api/equivalents.js';
import { EquivalentLines } from './equivalent-lines.js';

interface ConfirmProps {
  title: string;
  /** What happens, and what cannot be undone. */
  children: ReactNode;
  /** The text of the button. */
  send: string;
  /** What has to be typed, such as the name of the device; absent: one click is enough. */
  typed?: string;
  equivalent?: Equivalent;
  /** Whether it gives something back, such as a lock that is lifted: then the button does not warn. */
  isHarmless?: boolean;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an action that destroys something: its name has to be typed. */
export function Confirm({
  title,
  children,
  send,
  typed,
  equivalent,
  isHarmless = false,
  busy = false,
  onConfirm,
  onClose,
}: ConfirmProps): ReactNode {
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={title}
      send={send}
      danger={!isHarmless}
      hasNoWork
      busy={busy}
      disabled={typed !== undefined && text !== typed}
      onSend={onConfirm}
      onClose={onClose}
    >
      <div className="quiet">{children}</div>
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          value={text}
          autoComplete="off"
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {equivalent && <EquivalentLines {...equivalent} />}
    </FormDialog>
  );
}
