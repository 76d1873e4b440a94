/*
 * What the keys of a page do. They press what the page has: rows, boxes, tabs and buttons are the same for the keys as for the
 * pointer, and a screen has no keys of its own.
 */

const ROWS = 'main [data-windowed] [role="row"]:not([aria-rowindex="1"]), main tbody tr';
const LINK = 'a[href], button';

const rows = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(ROWS)]
    .filter((row) => row.querySelector(LINK) !== null)
    // The windowed table keeps its rows in any order.
    .toSorted((one, other) => placeOf(one) - placeOf(other));

const placeOf = (row: HTMLElement): number => Number(row.getAttribute('aria-rowindex') ?? 0);

const currentRow = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(ROWS) ?? null;

/** Sets the focus to the link of the next row, or the one before; without a row, to the first that is in view. */
export function moveRow(step: 1 | -1): void {
  const all = rows();
  const current = currentRow();
  const next = current ? all[all.indexOf(current) + step] : all.find(isInView);
  next?.querySelector<HTMLElement>(LINK)?.focus();
}

const isInView = (row: HTMLElement): boolean => {
  const box = (row.closest('[data-windowed]') ?? document.querySelector('main'))!.getBoundingClientRect();
  const { top, bottom } = row.getBoundingClientRect();
  return top >= box.top && bottom <= box.bottom;
};

/** Chooses the row with the focus, or leaves it out. */
export const tickRow = (): void => currentRow()?.querySelector<HTMLElement>('input[type="checkbox"]')?.click();

/** Presses the button with which the object of the page is edited. */
export const pressEdit = (): void => document.querySelector<HTMLElement>('main [data-key="e"]')?.click();

/** Opens the tab beside the current one. */
export function otherTab(step: 1 | -1): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('main .tabs:first-of-type a')];
  const current = tabs.findIndex((tab) => tab.getAttribute('aria-current') === 'page');
  tabs[current + step]?.click();
}
