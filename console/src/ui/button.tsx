import { type ComponentProps, type ReactNode } from 'react';
import { Icon, type IconName } from './icons.js';

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet' | 'link';
  icon?: IconName;
  /** Shows that the request is under way, and takes no second click. */
  busy?: boolean;
  /** The key that presses it (`shell/page-keys.ts`). */
  'data-key'?: 'e';
}

export function Button({ kind = 'plain', icon, busy = false, children, disabled, ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" className="button" data-kind={kind} disabled={disabled || busy} aria-busy={busy} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that is an icon only. @param label what it does, for screen readers and as a hint */
export function IconButton({ label, icon, ...rest }: ButtonProps & { label: string; icon: IconName }): ReactNode {
  return (
    <button type="button" className="button icon-button" data-kind="quiet" aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
