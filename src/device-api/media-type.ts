/** The media type that a device gives an answer, in lower case and without parameters; empty when it gives none. */
export function mediaType(contentType: string | readonly string[] | undefined): string {
  const first = (typeof contentType === 'string' ? contentType : contentType?.[0]) ?? '';
  const end = first.indexOf(';');
  return (end < 0 ? first : first.slice(0, end)).trim().toLowerCase();
}

/** Whether an answer of that media type is JSON: `application/json`, and types such as `application/problem+json`. */
export const isJsonType = (type: string): boolean => type.endsWith('/json') || type.endsWith('+json');
