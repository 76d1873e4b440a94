import { createContext, type ReactNode, useEffect, useState } from 'react';

interface PageProps {
  title: string;
  /** Beside the title: marks, counts. */
  beside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The end of the line of the title: on narrow screens the button of the filters is there, since alone it would take a line. */
export const HeadEnd = createContext<HTMLElement | null>(null);

/** A screen: its title is also the title of the tab. */
export function Page({ title, beside, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Fleetgate`;
  }, [title]);
  const [end, setEnd] = useState<HTMLElement | null>(null);
  return (
    <div className="page">
      <div className="page-head">
        <h1 className="foreign">{title}</h1>
        {beside}
        <div className="row" ref={setEnd}>
          {actions}
        </div>
      </div>
      <HeadEnd value={end}>{children}</HeadEnd>
    </div>
  );
}

/** A titled part of a screen. */
export function Card({
  title,
  flush = false,
  actions,
  beside,
  children,
}: {
  title?: string;
  flush?: boolean;
  actions?: ReactNode;
  /** Fields at the end of the line of the title, which are no part of it. */
  beside?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <section className={flush ? 'card flush' : 'card'}>
      {title && !beside && (
        <h2 className={actions ? 'row spread' : undefined}>
          {title}
          {actions}
        </h2>
      )}
      {title && beside && (
        <div className="row spread card-head">
          <h2>{title}</h2>
          {beside}
        </div>
      )}
      {children}
    </section>
  );
}

/** Pairs of a name and a value. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className="facts">
      {of.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}-value`} className="foreign">
          {value ?? '–'}
        </dd>,
      ])}
    </dl>
  );
}
