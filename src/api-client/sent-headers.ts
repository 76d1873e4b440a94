type Headers<Value> = Readonly<Record<string, Value>>;

const IS_ASCII = /^[\x20-\x7e]*$/;

/**
 * Headers as they can be sent: of a text with other letters than ASCII, such as a reason for a change, each byte of its UTF-8 is one
 * character. The gateway reads it as UTF-8 again.
 */
export const sentHeaders = <Value>(headers: Headers<Value> = {}): Headers<Value> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, sentValue(value)]));

function sentValue<Value>(value: Value): Value {
  if (typeof value !== 'string' || IS_ASCII.test(value)) return value;
  return String.fromCharCode(...new TextEncoder().encode(value)) as Value & string;
}
