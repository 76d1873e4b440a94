import { type ReactNode, useEffect } from 'react';
import { Logo } from '../../shell/shell.js';
import css from './entry.module.css';

/** The frame of pages without a signed-in person. */
export function EntryPage({ title, children }: { title: string; children: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} · Fleetgate`;
  }, [title]);
  return (
    <main className={css.entry}>
      <div className="card">
        <div className="row">
          <Logo />
          <strong>Fleetgate</strong>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
