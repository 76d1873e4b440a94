/**
 * A value as JSON that Postgres can keep: without U+0000 and halves of surrogate pairs, in texts and in names of fields.
 * For what others wrote, devices above all; what operators send is refused instead (`input.pipe.ts`).
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

/** How JSON writes U+0000 and halves of surrogate pairs; what only looks like them is gone through in vain. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/** As `storableJson`, for a bare text, cut to `length`. */
export function storableText(text: string, length = Number.POSITIVE_INFINITY): string {
  const kept = isStorable(text) ? text : text.replaceAll('\0', '').toWellFormed();
  return kept.length > length ? kept.slice(0, length).toWellFormed() : kept;
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();
