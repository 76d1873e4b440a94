import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../../ui/dialog.js';
import { TextField } from '../../../ui/field.js';

interface RenameViewProps {
  name: string;
  /** The names of the other own views. */
  taken: readonly string[];
  onRename: (name: string) => void;
  onClose: () => void;
}

/** Gives an own view another name. */
export function RenameView({ name: before, taken, onRename, onClose }: RenameViewProps): ReactNode {
  const [text, setText] = useState(before);
  const name = text.trim();
  const isTaken = taken.includes(name);
  return (
    <FormDialog
      title="Rename the view"
      send="Rename"
      disabled={name === '' || name === before || isTaken}
      missing={[(name === '' || name === before) && 'another name']}
      onSend={() => {
        onRename(name);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={text}
        autoFocus
        maxLength={60}
        wrong={isTaken ? 'Another view of yours has this name.' : null}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
