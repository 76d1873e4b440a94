import { type ReactNode } from 'react';

interface BandKeyProps {
  /** As those of the chart. */
  readonly limits: readonly [warn: number, bad: number];
}

/** What the two bands behind a line mean, for the line below the chart. */
export function BandKey({ limits: [warn, bad] }: BandKeyProps): ReactNode {
  const word = bad < warn ? 'low' : 'high';
  return (
    <>
      <span data-key="warn">
        <i />
        {word}
      </span>
      <span data-key="bad">
        <i />
        very {word}
      </span>
    </>
  );
}
