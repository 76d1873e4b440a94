import { type ReactNode } from 'react';

/** What a text field offers while a person types. */
export function Suggestions({ id, of }: { id: string; of: readonly string[] }): ReactNode {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </datalist>
  );
}
