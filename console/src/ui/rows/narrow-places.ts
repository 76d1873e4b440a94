/* On narrow screens a row of a table is a block. Pure. */

/** The heading of the block (the first column where none says so), at the right of the heading, or folded until the row is opened. */
export type NarrowPlace = 'heading' | 'beside' | 'folded';

interface PlacedColumn {
  readonly title: string;
  readonly narrow?: NarrowPlace;
}

/** Where each column stands in the block: a `line` has its title before it. */
export function placesOf(columns: readonly PlacedColumn[]): readonly (NarrowPlace | 'line' | 'actions')[] {
  const hasHeading = columns.some(({ narrow }) => narrow === 'heading');
  return columns.map(({ title, narrow }, at) => {
    if (title === '') return 'actions';
    return narrow ?? (at === 0 && !hasHeading ? 'heading' : 'line');
  });
}
