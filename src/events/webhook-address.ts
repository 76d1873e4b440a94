/*
 * Addresses of webhooks often hold a token, in their query or as user and password. They are for the one who receives: lists,
 * the audit and the log of deliveries show an address without them. Pure.
 */

/** An address as it is shown: without user, password, query and fragment. */
export function shownAddress(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}

/** Whether an address holds more than is shown of it. */
export const hidesSome = (address: string): boolean => new URL(address).href !== shownAddress(address);

/** The address that is meant by one that somebody sends back as it was shown to them: the one that is known. */
export function meantAddress(sent: string, known: string): string {
  return new URL(sent).href === shownAddress(known) ? known : sent;
}

/** What the other side says, without what of the address is not shown: some repeat it in their errors. */
export function withoutHidden(text: string, address: string): string {
  const { username, password, search, searchParams } = new URL(address);
  const query = search.slice(1);
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const hidden = [query, ...values, ...searchParams.values(), username, password].flatMap((part) => [
    part,
    part.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodedIfText),
  ]);
  return hidden
    .filter((part) => part.length >= SHORTEST_HIDDEN)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, part) => shown.replaceAll(part, '…'), text);
}

/** Shorter parts, such as `v=1`, are no secret, and stand in any text. */
const SHORTEST_HIDDEN = 6;

/** Some addresses hold bytes that are no UTF-8. */
function decodedIfText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
