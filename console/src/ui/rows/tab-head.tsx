import { type ReactNode } from 'react';

/** What a tab is about in one sentence, with its main action beside it. */
export function TabHead({ text, children }: { text: string; children?: ReactNode }): ReactNode {
  return (
    <div className="row spread">
      <p className="quiet">{text}</p>
      {children && <div className="row">{children}</div>}
    </div>
  );
}
