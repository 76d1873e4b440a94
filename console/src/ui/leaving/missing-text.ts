/** What is missing in a form that would change nothing. */
export const A_CHANGE = 'a change';

/** What keeps a form from being sent, such as `a name`; empty: nothing. @param missing what is there is false */
export function missingText(missing: readonly (string | false)[]): string {
  const open = missing.filter((one) => one !== false);
  if (open.length === 1 && open[0] === A_CHANGE) return 'Unchanged so far';
  return open.length === 0 ? '' : `Still missing: ${open.join(', ')}`;
}
