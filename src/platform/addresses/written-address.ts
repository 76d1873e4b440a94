import { isIPv4 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/*
 * Addresses that people write. `new URL` accepts many texts as another address: 192.168.001.010 becomes 192.168.1.8, and
 * 192.168.1 becomes 192.168.0.1. A stranger there would get the passwords. So the text itself is checked, and only one
 * that means what it says is accepted. Case, a default port, and the spelling of an IPv6 address do not change the host.
 */

/** The longest address that any route takes. */
const LONGEST = 2_000;

/** Longer hosts are cut in reasons. */
const SHOWN_MAX = 80;

const shown = (text: string) => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);

/** By Unicode's scripts: letters of Greek and Cyrillic look like Latin ones. */
const LOOK_ALIKE_SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u];

/** Dots that `new URL` removes or follows, and their encoded forms. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Why `new URL` would read an address as something else than its text says. The reason quotes the host and no other part.
 * @param text an address with a scheme; one that is no URL at all is for `new URL` to refuse
 * @returns the reason with the form that is probably meant; null: the text means what it says
 */
export function misreading(text: string): string | null {
  if (text.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  const blank = text.search(/[\s\p{Cc}\p{Cf}]/u);
  if (blank >= 0) return `it has a space or an invisible character at position ${blank + 1}`;
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):(.*)$/i.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return null;
  const [head] = rest.split(/[?#]/, 1);
  if (head!.includes('\\')) return 'it has a backslash: write /';
  if (!/^\/\/[^/]/.test(rest)) return `two slashes must follow ${scheme}: and then the host`;
  const [authority = '', ...segments] = head!.slice(2).split('/');
  const dots = segments.find((segment) => DOT_SEGMENT.test(segment));
  if (dots !== undefined) return `its path has the segment ${dots}, which would be removed`;
  const [host = '', ...before] = authority.split('@').toReversed();
  if (before.length > 1) return 'it has more than one @';
  return authorityProblem(host);
}

/** @param text host and port */
function authorityProblem(text: string): string | null {
  const [, bracketed, bracketPort] = /^\[([^\]]*)\](?::(.*))?$/.exec(text) ?? [];
  const parts = text.split(':');
  if (bracketed === undefined && parts.length > 2) {
    return `an IPv6 address needs brackets: [${shown(text)}]?`;
  }
  const port = bracketed === undefined ? parts[1] : bracketPort;
  if (port === '') return 'no port follows the colon';
  if (port !== undefined && /^0\d/.test(port))
    return `the port ${shown(port)} begins with 0: ${shown(String(Number(port)))}?`;
  return bracketed === undefined ? misreadHost(parts[0]!) : ipv6Problem(bracketed);
}

function ipv6Problem(host: string): string | null {
  if (host.includes('%')) return 'an address with a zone, such as %eth0, has a meaning only on one machine';
  if (!ipaddr.IPv6.isValid(host)) return null; // `new URL` refuses it
  const address = ipaddr.IPv6.parse(host);
  if (!address.isIPv4MappedAddress()) return null;
  return `the host [${shown(host)}] is an IPv4 address${meant(address.toIPv4Address().toString())}`;
}

/**
 * The same for a host name or an IPv4 address alone, as in HOST.
 * @returns the reason; null: the text means what it says
 */
export function misreadHost(host: string): string | null {
  if (host.includes('%')) return `the host ${shown(host)} has percent signs${meant(decoded(host))}`;
  if (/\P{ASCII}/u.test(host)) return unicodeProblem(host);
  const isNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host);
  if (isNumber && !isIPv4(host)) return numberProblem(host);
  return host.endsWith('.') ? `the host ${shown(host)} ends in a dot${meant(host.slice(0, -1))}` : null;
}

/** WHATWG reads a host whose last part is a number as IPv4, with octal and hexadecimal parts and missing ones. */
function numberProblem(host: string): string {
  const parts = host.replace(/\.$/, '').split('.');
  const decimal = parts.every((part) => /^\d{1,9}$/.test(part)) ? parts.map(Number).join('.') : '';
  const read = readAs(host);
  const wouldBe = read === null ? 'is no IPv4 address' : `would be read as ${read}`;
  if (isIPv4(decimal)) return `the host ${shown(host)} ${wouldBe}: ${decimal}?`;
  return `the host ${shown(host)} ${wouldBe}: write four decimal numbers, as in ${read ?? '192.168.1.10'}`;
}

/** What is written must be what the encoded name shows: full-width digits and invisible letters are not. */
function unicodeProblem(host: string): string | null {
  const ascii = domainToASCII(host);
  if (domainToUnicode(ascii) !== host.normalize('NFC').toLowerCase())
    return `the host ${shown(host)} would be read as ${instead(ascii)}`;
  const mixed = host.split('.').find((label) => LOOK_ALIKE_SCRIPTS.filter((script) => script.test(label)).length > 1);
  return mixed === undefined ? null : `the name ${shown(mixed)} has letters of two scripts that look alike: ${ascii}`;
}

function readAs(host: string): string | null {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}

function decoded(host: string): string {
  try {
    return domainToASCII(decodeURIComponent(host));
  } catch {
    return '';
  }
}

/** Only a form that is itself accepted is proposed. */
const meant = (form: string) => (form !== '' && misreadHost(form) === null ? `: ${shown(form)}?` : '');

const instead = (form: string) => (form === '' ? 'another one' : `${shown(form)}: ${shown(form)}?`);

/** For `superRefine`: the issue names the reason, and has its place from the schema. */
const refuseMisreading = (text: string, context: z.RefinementCtx) => {
  const message = misreading(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
};

/** An address that means what it says. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as https://fleet.example' })
  .superRefine(refuseMisreading);

/** The same of a service whose user and password, if it has them, are settings of their own. */
export const serviceUrl = httpUrl.refine(hasNoUser, 'must have no user and no password');

function hasNoUser(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** An address of another scheme, whose host the system resolves: it reads numbers as `new URL` does. */
export const addressOf = (protocol: RegExp, example: string) =>
  z.url({ protocol, error: `must be an address such as ${example}` }).superRefine(refuseMisreadHost);

function refuseMisreadHost(text: string, context: z.RefinementCtx): void {
  const message = URL.canParse(text) ? hostFault(text) : null;
  if (message !== null) context.addIssue({ code: 'custom', message });
}

function hostFault(text: string): string | null {
  if (!/^[a-z]+:\/\//i.test(text)) return 'needs two slashes behind the scheme';
  return misreadHost(new URL(text).hostname);
}

/** The address of a Redis. Its client takes a parameter `host` for the host. */
export const redisUrl = addressOf(/^rediss?$/, 'redis://127.0.0.1:6379').refine(
  (text) => !URL.canParse(text) || !new URL(text).searchParams.has('host'),
  'has a host as a parameter: write it behind the two slashes',
);

const POSTGRES = /^postgres(ql)?:\/\//;

/** What the driver takes from an address is one host; libpq's lists of hosts are not a URL, or are a parameter. */
const SEVERAL_HOSTS =
  'names several hosts, and the gateway connects to one. Give one name that always leads to the primary: a virtual ' +
  'address, a DNS name, or a proxy such as PgBouncer or HAProxy (docs/howto/run-the-database.md)';

/** Why a text is no address of one database; null: it is. No part of it is in the answer, since it has a password. */
export function postgresUrlFault(text: string): string | null {
  if (!POSTGRES.test(text)) return 'must be an address such as postgres://user:password@host:5432/database';
  const authority = text.replace(POSTGRES, '').split(/[/?#]/, 1)[0]!;
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) return SEVERAL_HOSTS;
  if (!URL.canParse(text))
    return 'is not a valid address: characters such as @ / # ? in user or password need %-encoding';
  const { hostname, searchParams } = new URL(text);
  for (const name of ['host', 'hostaddr']) {
    const host = searchParams.get(name);
    if (host === null) continue;
    if (host.includes(',')) return SEVERAL_HOSTS;
    if (hostname !== '' && host !== hostname)
      return `has two hosts: ${name} as a parameter must not differ from the first`;
    const misread = host.startsWith('/') ? null : misreadHost(host);
    if (misread !== null) return misread;
  }
  if (searchParams.has('target_session_attrs'))
    return `has target_session_attrs, which chooses among hosts. It ${SEVERAL_HOSTS}`;
  return null;
}
