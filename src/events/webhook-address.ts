/*
 * Addresses of webhooks often contain a token, in their query or as user and password. Only the receiver needs it: lists,
 * the audit and the log of deliveries show an address without it. Pure.
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

/** Whether an address has more than is shown. */
export const hidesSome = (address: string): boolean => new URL(address).href !== shownAddress(address);

/** The stored address, if a caller sends its shown form back; otherwise the new address. */
export function meantAddress(sent: string, known: string): string {
  return new URL(sent).href === shownAddress(known) ? known : sent;
}

/** The receiver's error text, without the hidden parts of the address: some receivers repeat it. */
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

/** Shorter parts, such as `v=1`, are not secret, and occur in any text. */
const SHORTEST_HIDDEN = 6;

/** Some addresses have bytes that are not UTF-8. */
function decodedIfText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
