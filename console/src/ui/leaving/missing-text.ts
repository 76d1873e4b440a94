/** What keeps a form from being sent, such as `a name`; empty: nothing. @param missing what is there is false */
export function missingText(missing: readonly (string | false)[]): string {
  const open = missing.filter((one) => one !== false);
  return open.length === 0 ? '' : `Still missing: ${open.join(', ')}`;
}
