/* On narrow screens a row of a table has two lines: its name and state, then one grey line of what matters most. The rest is in its detail. Pure. */

/**
 * The heading of the row (the first column where none says so), at the right of the heading (a state, where none says so), in the grey
 * line, a block of its own below it, or left out.
 */
export type NarrowPlace = 'heading' | 'beside' | 'line' | 'block' | 'none';

interface PlacedColumn {
  readonly title: string;
  readonly narrow?: NarrowPlace;
  readonly brief?: unknown;
}

type Place = NarrowPlace | 'actions';

/** What says in a word how a row is: it is beside the heading, or in the line, and never left out. */
const STATES: ReadonlySet<string> = new Set(['State', 'Outcome', 'Result']);

/** Values of the line, where no column says that it belongs there. */
const VALUES = 3;

/** Where each column stands in the row. One with a brief form is in the line. */
export function placesOf(columns: readonly PlacedColumn[]): readonly Place[] {
  const hasHeading = columns.some(({ narrow }) => narrow === 'heading');
  const hasBeside = columns.some(({ narrow }) => narrow === 'beside');
  const state = hasBeside ? -1 : columns.findIndex(({ title, narrow }, at) => !narrow && at > 0 && STATES.has(title));
  const first = columns.findIndex(({ title }) => title !== '');
  const places = columns.map(({ title, narrow, brief }, at): Place | null => {
    if (title === '') return 'actions';
    if (narrow) return narrow;
    if (at === first && !hasHeading) return 'heading';
    if (at === state) return 'beside';
    return brief || STATES.has(title) ? 'line' : null;
  });
  let free = places.includes('line') ? 0 : VALUES;
  return places.map((place) => place ?? (free-- > 0 ? 'line' : 'none'));
}
