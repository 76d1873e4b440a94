/*
 * The marker in the place of a secret for callers who may not read it (`Secrets.fingerprint`). Clients read a
 * configuration, change one option and write all of it back. A marker in such a write would become the secret itself.
 */

/** A value that is a marker and nothing else. */
const MARKER = /^hmac:[0-9a-f]{16}$/;

/** A marker anywhere in a text, also in a query or a form, where the colon may be encoded. */
const MARKER_IN_TEXT = /hmac(?::|%3[Aa])[0-9a-f]{16}/;

/** The characters of an encoded marker. */
const LONGEST = 23;

/** What both forms begin with: a cheap sign that a text may hold one. */
const BEGINNING = 'hmac';

export const isMarker = (value: unknown): boolean => typeof value === 'string' && MARKER.test(value);

/** Whether a text holds a marker. It takes time in proportion to the text. */
export const holdsMarker = (text: string): boolean => text.includes(BEGINNING) && MARKER_IN_TEXT.test(text);

/** Looks for a marker in bytes that come in parts. */
export class MarkerScan {
  private tail: Buffer = Buffer.alloc(0);

  /** @returns whether a marker ends in this part */
  holds(part: Buffer): boolean {
    const joint = Buffer.concat([this.tail, part.subarray(0, LONGEST)]);
    const found = isIn(joint) || isIn(part);
    this.tail = part.length < LONGEST ? joint.subarray(-LONGEST) : part.subarray(-LONGEST);
    return found;
  }
}

const isIn = (bytes: Buffer): boolean => bytes.includes(BEGINNING) && MARKER_IN_TEXT.test(bytes.toString('latin1'));

/**
 * What a device itself answers to callers who may not read a secret: the option is left out, and `<option>:set` says
 * that it has a value. Errors of the device keep their form.
 * @param value the redacted body of an answer
 * @returns a copy without markers as values of options
 */
export function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutMarkers(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] =>
    isHidden(inner) ? [`${name}:set`, '1'] : [name, name === 'errors' ? inner : withoutMarkers(inner)],
  );
  return Object.fromEntries(entries);
}

const isHidden = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(isMarker) : isMarker(value);
