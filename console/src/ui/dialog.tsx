import {
  createContext,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
} from 'react';
import { Button, IconButton } from './button.js';
import { missingText } from './leaving/missing-text.js';
import { mayLeave, useUnsavedFields } from './leaving/unsaved.js';

interface DialogProps {
  title: string;
  /** `top`: near the upper edge, whatever its height is, and without a title in sight where the keyboard closes it. */
  size?: 'normal' | 'wide' | 'top';
  onClose: () => void;
  children: ReactNode;
}

const FIRST_FIELD =
  '.dialog-body :is(input:not([type="file"]), select, textarea):not(:disabled, [readonly]), [data-first]';

/** Told to the window when a dialog opens or closes: what is outside of the open one can neither be used nor heard. */
export const DIALOGS_CHANGED = 'fleetgate:dialogs';

/** Closes the dialog around, after the question about what was typed in it. */
const LeaveDialog = createContext<() => void>(() => undefined);

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
      dispatchEvent(new Event(DIALOGS_CHANGED));
    }
    return () => {
      element?.close();
      dispatchEvent(new Event(DIALOGS_CHANGED));
    };
  }, []);
  const leave = () => void mayLeave(dialog.current).then((isLeaving) => isLeaving && onClose());
  // The platform lets a page refuse only the first Escape after a click: the second one would close the dialog by itself.
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation(); // a dialog may be inside another one
    leave();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      data-size={size}
      aria-labelledby={heading}
      onKeyDown={pressed}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // a file chooser inside was left
        event.preventDefault();
        leave();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={leave} />
      </header>
      <LeaveDialog value={leave}>{children}</LeaveDialog>
    </dialog>
  );
}

/** Leaves the dialog that it is in. */
export function CancelButton(): ReactNode {
  return <Button onClick={useContext(LeaveDialog)}>Cancel</Button>;
}

interface FormDialogProps extends DialogProps {
  /** The text of the button that sends it. */
  send: string;
  busy?: boolean;
  danger?: boolean;
  disabled?: boolean;
  /** What is to be filled in before it can be sent, such as `a name`; what is there is false. */
  missing?: readonly (string | false)[];
  /** What is typed in it is no work that could be lost, such as a name that confirms. */
  hasNoWork?: boolean;
  onSend: () => void;
}

/** A dialog with a form, a button that sends it, and one that does not. */
export function FormDialog({
  send,
  busy = false,
  danger = false,
  disabled = false,
  missing = [],
  hasNoWork = false,
  onSend,
  children,
  ...rest
}: FormDialogProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const said = missingText(missing);
  useUnsavedFields(form, hasNoWork);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!disabled && !busy) onSend();
  };
  return (
    <Dialog {...rest}>
      <form ref={form} onSubmit={submit}>
        <div className="dialog-body">{children}</div>
        <div className="dialog-foot">
          {said && <span className="small quiet dialog-missing">{said}</span>}
          <CancelButton />
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
            {send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
