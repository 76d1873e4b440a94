import { type ReactNode } from 'react';

/** More characters than four lines of a card. */
const LONG = 240;

/** So many say what it is. */
const SHOWN = 80;

/** A text; of a long one the start, which opens to all of it. */
export function FoldedText({ text }: { text: string }): ReactNode {
  if (text.length <= LONG) return text;
  return (
    <details className="equivalent">
      <summary>{text.slice(0, SHOWN)} …</summary>
      {text}
    </details>
  );
}
