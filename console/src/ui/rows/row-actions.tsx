import { type ReactNode } from 'react';
import { Button } from '../button.js';
import { type RowAction, RowMenu } from '../row-menu.js';
import { To } from '../to.js';
import { useNarrow } from './narrow.js';

/** An action of a row. */
export type ShownAction = RowAction & {
  /** A button beside the menu, where there is room; this is what it is called for screen readers. */
  readonly label?: string;
};

interface RowActionsProps {
  /** Whose actions these are, for screen readers: the name of the row. */
  of: string;
  actions: readonly (ShownAction | false | null | undefined)[];
}

/** The actions of a row: those with a label as buttons and the others in a menu; on narrow screens all in one menu. */
export function RowActions({ of, actions }: RowActionsProps): ReactNode {
  const isNarrow = useNarrow();
  const present = actions.filter((action) => Boolean(action)) as ShownAction[];
  const isShown = ({ label }: ShownAction) => label !== undefined && !isNarrow;
  if (present.length === 0) return null;
  return (
    <span className="row end">
      {present.filter(isShown).map((action) => (
        <Shown key={action.text} action={action} />
      ))}
      <RowMenu of={of} actions={present.filter((action) => !isShown(action))} />
    </span>
  );
}

function Shown({ action }: { action: ShownAction }): ReactNode {
  const { text, label, title } = action;
  if ('onSelect' in action)
    return (
      <Button aria-label={label} title={title} onClick={action.onSelect}>
        {text}
      </Button>
    );
  if ('to' in action)
    return (
      <To to={action.to} {...(action.search ? { search: action.search } : {})} className="button" title={title}>
        {text}
      </To>
    );
  return (
    <a href={action.href} download className="button" title={title} aria-label={label}>
      {text}
    </a>
  );
}
