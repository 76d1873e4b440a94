const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isId = (text: string): boolean => UUID.test(text);

/** A reference where it is an id: only then a removed device is known by it. */
export const idIn = (ref: string | undefined): string | undefined => (ref && isId(ref) ? ref : undefined);

/** What the API takes for the device that a person typed: a name, unless it is an id or says what it is. */
export function refOf(text: string): string | undefined {
  if (text === '') return undefined;
  return isId(text) || /^(?:name|serial|mac):/.test(text) ? text : `name:${text}`;
}
