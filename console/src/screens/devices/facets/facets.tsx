import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { modelText } from '../../../api/device-texts.js';
import { summaryQuery } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { stateText } from '../../../ui/mark.js';
import { useSearchText } from '../../../ui/to.js';
import { FACETS } from '../device-rows.js';
import { inPlace, type Value } from './in-place.js';
import { chosenOf, hasTerm, leavesOut, termOf, valueOf, withoutField } from '../selector-text.js';
import { More } from './facet-more.js';
import { FacetRow, type Filtered } from './facet-row.js';
import { facetValues, type FacetValue } from './facet-values.js';
import styles from './facets.module.css';
import { useFolded } from './folded.js';
import { SiteFacet } from './site-facet.js';

type Group = Schema<'DeviceSummary'>['groups'][number];

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
  const { isFolded, fold } = useFolded();
  const [held, setHeld] = useState<Schema<'DeviceSummary'> | undefined>(undefined);
  const onSelector = (next: string) => change({ selector: next || undefined, row: undefined });
  return (
    <aside
      className={styles['facets']}
      aria-label="Facets"
      data-open={isOpen}
      onPointerEnter={() => setHeld(summary)}
      onPointerLeave={() => setHeld(undefined)}
    >
      {summary &&
        FACETS.split(',').map((by) => (
          <Facet
            key={by}
            by={by}
            group={summary.groups.find((group) => group.by === by)}
            held={held?.groups.find((group) => group.by === by)}
            selector={selector}
            onSelector={onSelector}
            isFolded={isFolded(by)}
            onFold={(isShown) => fold(by, isShown)}
          />
        ))}
      <div className={styles['shown']}>
        <Button kind="primary" onClick={onClose}>
          Show {countText(summary?.devices ?? 0, 'device')}
        </Button>
      </div>
    </aside>
  );
}

interface FacetProps extends Filtered {
  by: string;
  group: Group | undefined;
  /** As it was when the pointer came in. Nothing moves under the pointer while a person chooses. */
  held: Group | undefined;
  isFolded: boolean;
  onFold: (isShown: boolean) => void;
}

/** The values of one field. Those that a person may add to the chosen ones stay: they are counted without what the selector says of it. */
function Facet({ by, group, held, isFolded, onFold, ...filtered }: FacetProps): ReactNode {
  const own = useOwnCounts(by, filtered.selector);
  const { values: found, others } = shownValues(by, own ?? group, filtered.selector);
  const values = inPlace(held ? shownValues(by, held, filtered.selector).values : [], found);
  if (values.length === 0) return null;
  const chosen = values.filter(({ term }) => hasTerm(filtered.selector, term)).length;
  return (
    <details open={!isFolded} onToggle={({ currentTarget }) => onFold(currentTarget.open)}>
      <summary>
        <h2>{TITLES[by] ?? by}</h2>
        {isFolded && chosen > 0 && <span className="small quiet">{numberText(chosen)} chosen</span>}
      </summary>
      {by === 'site' && values.some(({ value }) => value.includes('/')) ? (
        <SiteFacet values={values} others={others} {...filtered} />
      ) : (
        <FacetValues by={by} values={values} others={others} {...filtered} />
      )}
    </details>
  );
}

/** The counts of a field that the selector speaks of, as if it did not: one request for each such field. */
function useOwnCounts(by: string, selector: string): Group | undefined {
  const [{ q }] = useSearchText();
  const without = withoutField(selector, by);
  const isAsked = without !== withoutField(selector, '');
  const asked = { ...(q ? { q } : {}), ...(without ? { selector: without } : {}), by };
  const { data } = useQuery({ ...summaryQuery(asked), enabled: isAsked });
  return isAsked ? data?.groups[0] : undefined;
}

/** The values that match, and those that a person has chosen or left out, so that each can be taken back. */
function shownValues(by: string, group: Group | undefined, selector: string) {
  const values = (group?.values ?? []).filter(
    (one): one is Value => Boolean(one.value) && (one.devices > 0 || leavesOut(selector, termOf(by, one.value!))),
  );
  const missing = chosenOf(selector, by)
    .flatMap((term) => valueOf(term) ?? [])
    .filter((value) => !values.some((one) => one.value === value));
  return {
    values: facetValues(by, [...values, ...[...new Set(missing)].map((value) => ({ value, devices: 0 }))]),
    others: group?.others ?? 0,
  };
}

interface FacetValuesProps extends Filtered {
  by: string;
  values: readonly FacetValue[];
  /** Further values, which are not in the summary. */
  others: number;
}

function FacetValues({ by, values, others, ...filtered }: FacetValuesProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { selector } = filtered;
  const isMarked = ({ term }: FacetValue) => hasTerm(selector, term) || leavesOut(selector, term);
  // What a person has ticked is never behind the button.
  const [first, rest] = [values.slice(0, SHOWN), values.slice(SHOWN)];
  const shown = isOpen ? values : [...first, ...rest.filter(isMarked)];
  return (
    <>
      {shown.map(({ value, devices, term }) => (
        <FacetRow key={value} value={value} term={term} devices={devices} {...filtered}>
          {shownText(by, value)}
        </FacetRow>
      ))}
      <More isOpen={isOpen} hidden={Math.max(0, values.length - SHOWN)} others={others} onOpen={setOpen} />
    </>
  );
}

function shownText(by: string, value: string): string {
  if (by === 'state') return stateText(value);
  return by === 'model' ? modelText(value) : value;
}
