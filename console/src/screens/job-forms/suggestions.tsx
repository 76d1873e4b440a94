import { type ReactNode } from 'react';

interface SuggestionsProps {
  id: string;
  of: readonly string[];
  /** What people call one; absent: as it is. */
  titleOf?: (one: string) => string;
}

/** What a text field offers while a person types. */
export function Suggestions({ id, of, titleOf = (one) => one }: SuggestionsProps): ReactNode {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one}>
          {titleOf(one)}
        </option>
      ))}
    </datalist>
  );
}
