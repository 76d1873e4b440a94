/** What of a value has a text in its names or values; all of a part whose name has it; undefined where nothing has. Pure. */
export function matching(value: unknown, text: string): unknown {
  if (typeof value !== 'object' || value === null)
    return String(value).toLowerCase().includes(text) ? value : undefined;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const found = !Array.isArray(value) && key.toLowerCase().includes(text) ? inner : matching(inner, text);
    return found === undefined ? [] : [[key, found] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
