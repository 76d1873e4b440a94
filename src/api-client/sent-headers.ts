type Headers = Readonly<Record<string, string>>;

const IS_ASCII = /^[\x20-\x7e]*$/;

/**
 * Headers as they can be sent: of a text with other letters than ASCII, such as a reason for a change, each byte of its UTF-8 is one
 * character. The gateway reads it as UTF-8 again.
 */
export const sentHeaders = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, sentText(value)]));

function sentText(text: string): string {
  if (IS_ASCII.test(text)) return text;
  return String.fromCharCode(...new TextEncoder().encode(text));
}
