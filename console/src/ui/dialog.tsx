import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button, IconButton } from './button.js';

interface DialogProps {
  title: string;
  size?: 'normal' | 'wide';
  onClose: () => void;
  children: ReactNode;
}

const FIRST_FIELD = '.dialog-body :is(input:not([type="file"]), select, textarea):not(:disabled)';

/** A modal dialog of the platform: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({ title, size = 'normal', onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) {
      element.showModal();
      // The platform would choose the button that closes it: what is to be typed has the focus first.
      element.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      data-size={size}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

interface FormDialogProps extends DialogProps {
  /** The text of the button that sends it. */
  send: string;
  busy?: boolean;
  danger?: boolean;
  disabled?: boolean;
  /** Shown at the left of the buttons, such as the equivalent command. */
  aside?: ReactNode;
  onSend: () => void;
}

/** A dialog with a form, a button that sends it, and one that does not. */
export function FormDialog({
  send,
  busy = false,
  danger = false,
  disabled = false,
  aside,
  onSend,
  children,
  ...rest
}: FormDialogProps): ReactNode {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!disabled && !busy) onSend();
  };
  return (
    <Dialog {...rest}>
      <form onSubmit={submit}>
        <div className="dialog-body">{children}</div>
        <div className="dialog-foot">
          {aside}
          <Button onClick={rest.onClose}>Cancel</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
            {send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
