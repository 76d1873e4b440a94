/* Paths with placeholders, such as `/api/modems/status/{id}`. */

/** The names between braces. */
export const placeholders = (path: string): readonly string[] =>
  Array.from(path.matchAll(/\{([^{}]{1,60})\}/g), ([, name]) => name ?? '');

/** Puts values into the places; a place without a value stays. */
export const filledPath = (path: string, value: (name: string) => string | undefined): string =>
  placeholders(path).reduce((filled, name) => {
    const given = value(name);
    return given ? filled.replace(`{${name}}`, () => encodeURIComponent(given)) : filled;
  }, path);
