/**
 * Whether a text matches a pattern in which `*` means any run of characters. Each part between two stars is searched
 * once, after the previous one: a regular expression with several stars would try every division of the text.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first, ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first!)) return false;
  let at = first!.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
