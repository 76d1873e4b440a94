import { type ReactNode } from 'react';

/** A value as indented JSON. @param label what it is, for screen readers */
export function JsonBlock({ label, value }: { label: string; value: unknown }): ReactNode {
  return (
    <pre className="code wrap foreign" role="region" aria-label={label} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** A value in one line. */
export const shortText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '–' : JSON.stringify(value);

/** The names and values of an object, of which nothing else is known. */
export function Details({ of }: { of: Readonly<Record<string, unknown>> }): ReactNode {
  return (
    <dl className="facts small">
      {Object.entries(of).map(([name, value]) => [
        <dt key={name} className="foreign">
          {name}
        </dt>,
        <dd key={`${name}-value`} className="foreign">
          <code>{shortText(value)}</code>
        </dd>,
      ])}
    </dl>
  );
}
