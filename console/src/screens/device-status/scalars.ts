/** Deeper values are left out: an answer of a device is hostile. */
const DEPTH_MAX = 6;

/**
 * The single values of an answer with their places, such as `modem 1 signal`.
 * @param most how many at most
 */
export function scalarsOf(value: unknown, most: number): readonly (readonly [place: string, text: string])[] {
  const found: [string, string][] = [];
  const visit = (one: unknown, place: readonly string[]): void => {
    if (found.length >= most || place.length > DEPTH_MAX) return;
    if (typeof one !== 'object' || one === null) {
      found.push([place.join(' ').replaceAll('_', ' ') || 'value', textOf(one)]);
      return;
    }
    for (const [key, inner] of Object.entries(one)) {
      if (found.length >= most) return;
      visit(inner, [...place, Array.isArray(one) ? String(Number(key) + 1) : key]);
    }
  };
  visit(value, []);
  return found;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
