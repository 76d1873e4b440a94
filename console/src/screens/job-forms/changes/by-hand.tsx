import { type ReactNode } from 'react';
import { Button } from '../../../ui/button.js';

/** The way to a section and options that a person types. */
export const ByHand = ({ onByHand }: { onByHand: () => void }): ReactNode => (
  <div>
    <Button kind="link" onClick={onByHand}>
      Type a section by hand
    </Button>
  </div>
);
