import { type ReactNode, useState } from 'react';
import { firmwareParts, modelText } from '../../../api/device-texts.js';
import { type Schema } from '../../../api/client.js';
import { stateText } from '../../../ui/mark.js';
import { useSearchText } from '../../../ui/to.js';
import { isSameTerm, termOf, termsOf, withTerm } from '../selector-text.js';
import { More, type Toggle } from './facet-more.js';
import { countText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import styles from './facets.module.css';
import { SiteFacet } from './site-facet.js';

type Value = Schema<'DeviceSummary'>['groups'][number]['values'][number] & { readonly value: string };

const TITLES: Readonly<Record<string, string>> = {
  state: 'State',
  model: 'Model',
  firmware: 'Firmware',
  operator: 'Mobile network',
  site: 'Site',
  tag: 'Tag',
};

/** The most frequent values of each field; the others open with a button. */
const SHOWN = 8;

interface FacetsProps {
  summary: Schema<'DeviceSummary'> | undefined;
  /** On narrow screens, where they cover the list. */
  isOpen: boolean;
  onClose: () => void;
}

/** Counts of the devices that match. */
export function Facets({ summary, isOpen, onClose }: FacetsProps): ReactNode {
  const [{ selector = '' }, change] = useSearchText();
  const terms = termsOf(selector);
  const toggle: Toggle = (term, { altKey }) =>
    change({ selector: withTerm(selector, altKey ? `!${term}` : term) || undefined, row: undefined });
  return (
    <aside className={styles['facets']} aria-label="Facets" data-open={isOpen}>
      {(summary?.groups ?? []).map(({ by, values, others }) => {
        const named = values.filter((one): one is Value => Boolean(one.value));
        if (named.length === 0) return null;
        return (
          <section key={by}>
            <h2>{TITLES[by] ?? by}</h2>
            {by === 'site' && named.some(({ value }) => value.includes('/')) ? (
              <SiteFacet values={named} others={others} terms={terms} onToggle={toggle} />
            ) : (
              <FacetValues by={by} values={named} others={others} terms={terms} onToggle={toggle} />
            )}
          </section>
        );
      })}
      <div className={styles['shown']}>
        <Button kind="primary" onClick={onClose}>
          Show {countText(summary?.devices ?? 0, 'device')}
        </Button>
      </div>
    </aside>
  );
}

interface FacetValuesProps {
  by: string;
  values: readonly Value[];
  /** Further values, which are not in the summary. */
  others: number;
  terms: readonly string[];
  onToggle: Toggle;
}

function FacetValues({ by, values, others, terms, onToggle }: FacetValuesProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isPressed = ({ value }: Value) => terms.some((one) => isSameTerm(one, termOf(by, value)));
  // What a person has ticked is never behind the button.
  const inOrder = [...values.filter(isPressed), ...values.filter((one) => !isPressed(one))];
  return (
    <>
      {inOrder.slice(0, isOpen ? undefined : SHOWN).map((one) => {
        const { value, devices } = one;
        const term = termOf(by, value);
        return (
          <button
            key={value}
            type="button"
            aria-pressed={isPressed(one)}
            title={`${value} · Alt-click leaves it out`}
            onClick={(event) => onToggle(term, event)}
          >
            <span className="cut foreign">{shownText(by, value)}</span>
            <span>{devices.toLocaleString('en')}</span>
          </button>
        );
      })}
      <More isOpen={isOpen} hidden={Math.max(0, values.length - SHOWN)} others={others} onOpen={setOpen} />
    </>
  );
}

function shownText(by: string, value: string): ReactNode {
  if (by === 'state') return stateText(value);
  if (by === 'model') return modelText(value);
  if (by !== 'firmware') return value;
  const { version, family } = firmwareParts(value);
  return (
    <>
      {version} {family && <span className="quiet small">{family}</span>}
    </>
  );
}
