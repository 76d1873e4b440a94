import { type Format } from './notification-bodies.js';

/*
 * Addresses of webhooks often contain a token: in their query, as user and password, and those of chats in their path. Only
 * the receiver needs it: lists, the audit and the log of deliveries show an address without it. Pure.
 */

interface Address {
  readonly url: string;
  readonly format: Format;
}

const hidesPath = ({ format }: Address): boolean => format !== 'cloudevents' && format !== 'mail';

/** An address as it is shown: without user, password, query and fragment; that of a chat without its path. */
export function shownAddress(address: Address): string {
  const url = new URL(address.url);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  if (hidesPath(address)) url.pathname = '';
  return url.href;
}

/** Whether an address has more than is shown. */
export const hidesSome = (address: Address): boolean => new URL(address.url).href !== shownAddress(address);

/** The stored address, if a caller sends its shown form back; otherwise the new one. A path stays hidden. */
export function meantAddress(sent: Address, known: Address): string {
  const staysHidden = hidesPath(sent) || !hidesPath(known);
  return staysHidden && new URL(sent.url).href === shownAddress(known) ? known.url : sent.url;
}

/** The receiver's error text, without the hidden parts of the address: some receivers repeat it. */
export function withoutHidden(text: string, address: Address): string {
  const { username, password, search, searchParams, pathname } = new URL(address.url);
  const query = search.slice(1);
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const path = hidesPath(address) ? [pathname, ...pathname.split('/')] : [];
  const secrets = withDecoded([password, ...path]);
  const hidden = [...secrets, ...withDecoded([query, ...values, ...searchParams.values(), username])];
  const words = new Set(
    secrets.flatMap((part) => part.match(WORD) ?? []).filter((word) => word.length < SHORTEST_HIDDEN),
  );
  return hidden
    .filter((part) => part.length >= SHORTEST_HIDDEN)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, part) => shown.replaceAll(part, '…'), text)
    .replaceAll(WORD, (word) => (words.has(word) ? '…' : word));
}

/** Shorter parts, such as `v=1`, occur in any text. Of a password or a path, such as the topic of ntfy, they are hidden as words. */
const SHORTEST_HIDDEN = 6;

const WORD = /[\w-]+/g;

const withDecoded = (parts: readonly string[]): string[] =>
  parts.flatMap((part) => [part, part.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodedIfText)]);

/** Some addresses have bytes that are not UTF-8. */
function decodedIfText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
