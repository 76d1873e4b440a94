import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { stateText } from '../../ui/mark.js';
import { useSearchText } from '../../ui/to.js';
import { termOf, termsOf, withTerm } from './selector-text.js';

const TITLES: Readonly<Record<string, string>> = {
  state: 'State',
  model: 'Model',
  firmware: 'Firmware',
  operator: 'Mobile network',
  site: 'Site',
  tag: 'Tag',
};

/** The most frequent values of each field; the rest is found with the selector. */
const SHOWN = 8;

interface FacetsProps {
  summary: Schema<'DeviceSummary'> | undefined;
  /** On narrow screens. */
  isOpen: boolean;
}

/** Counts of the devices that match; a click narrows the selector by a value, or widens it again. */
export function Facets({ summary, isOpen }: FacetsProps): ReactNode {
  const [{ selector = '' }, change] = useSearchText();
  const terms = termsOf(selector);
  const toggle = (term: string) => change({ selector: withTerm(selector, term) || undefined, row: undefined });
  return (
    <aside className="facets" aria-label="Facets" data-open={isOpen}>
      {(summary?.groups ?? []).map(({ by, values, others }) => {
        const shown = values.filter(({ value }) => value !== null && value !== '').slice(0, SHOWN);
        if (shown.length === 0) return null;
        return (
          <section key={by}>
            <h2>{TITLES[by] ?? by}</h2>
            {shown.map(({ value, devices }) => {
              const term = termOf(by, value ?? '');
              return (
                <button key={value} type="button" aria-pressed={terms.includes(term)} onClick={() => toggle(term)}>
                  <span className="cut foreign" title={value ?? undefined}>
                    {by === 'state' ? stateText(value ?? '') : value}
                  </span>
                  <span>{devices.toLocaleString('en')}</span>
                </button>
              );
            })}
            {values.length + others > SHOWN && (
              <p className="small quiet facet-more">{values.length + others - SHOWN} more</p>
            )}
          </section>
        );
      })}
    </aside>
  );
}
