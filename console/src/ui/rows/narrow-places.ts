/* On narrow screens a row of a table is a card of two lines: its name and state, then two facts; the rest is behind “More”. Pure. */

/**
 * The heading of the card (the first column where none says so), at the right of the heading (a state, where none says so), a line of
 * its own, or folded until the card is opened.
 */
export type NarrowPlace = 'heading' | 'beside' | 'line' | 'folded';

interface PlacedColumn {
  readonly title: string;
  readonly narrow?: NarrowPlace;
}

type Place = NarrowPlace | 'fact' | 'actions';

/** What says in a word how a row is. */
const STATES: ReadonlySet<string> = new Set(['State', 'Outcome', 'Result']);

/** Facts of the second line. */
const FACTS = 2;

/** Where each column stands in the card. */
export function placesOf(columns: readonly PlacedColumn[]): readonly Place[] {
  const hasHeading = columns.some(({ narrow }) => narrow === 'heading');
  const hasBeside = columns.some(({ narrow }) => narrow === 'beside');
  const state = hasBeside ? -1 : columns.findIndex(({ title, narrow }, at) => !narrow && at > 0 && STATES.has(title));
  const places = columns.map(({ title, narrow }, at): Place | null => {
    if (title === '') return 'actions';
    if (narrow) return narrow;
    if (at === 0 && !hasHeading) return 'heading';
    return at === state ? 'beside' : null;
  });
  const free = places.filter((place) => place === null).length;
  // One that is left over takes no more room than the button that would open it.
  const shown = free === FACTS + 1 && !places.includes('folded') ? free : FACTS;
  let facts = 0;
  return places.map((place) => place ?? (facts++ < shown ? 'fact' : 'folded'));
}
