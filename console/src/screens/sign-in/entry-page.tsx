import { type ReactNode, useEffect } from 'react';
import { Logo } from '../../shell/shell.js';
import css from './entry.module.css';

/** The frame of pages without a signed-in person. The host tells one gateway from another before a password is typed. */
export function EntryPage({ title, children }: { title: string; children: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} · Fleetgate`;
  }, [title]);
  return (
    <main className={css.entry}>
      <header className={css.gateway}>
        <Logo />
        <strong>Fleetgate</strong>
        <span className="foreign" title="The address of this gateway">
          {location.host}
        </span>
      </header>
      <div className="card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
