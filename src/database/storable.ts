/**
 * A value as JSON that Postgres can store: without U+0000 and unpaired surrogates, in texts and in field names. For
 * data from outside, mainly devices; the same in an operator's input is refused (`input.pipe.ts`).
 */
export function storableJson(value: unknown): string {
  const plain = JSON.stringify(value);
  if (!SUSPECT.test(plain)) return plain;
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'string') return storableText(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    return entries.every(([name]) => isStorable(name))
      ? part
      : Object.fromEntries(entries.map(([name, inner]) => [storableText(name), inner]));
  });
}

/** JSON's notation of U+0000 and surrogates. A false match only costs a walk through the value. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/** As `storableJson`, for a text, cut to `length`. */
export function storableText(text: string, length = Number.POSITIVE_INFINITY): string {
  const clean = isStorable(text) ? text : text.replaceAll('\0', '').toWellFormed();
  return clean.length > length ? clean.slice(0, length).toWellFormed() : clean;
}

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
