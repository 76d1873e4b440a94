import { type FormOption, isMarker, linesOf } from './section-values.js';

/* What is wrong with a typed value, before the device is asked. Only what every device refuses; the device has the last word. Pure. */

const IPV4 = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const PREFIX = /^(?:3[0-2]|[12]?\d)$/;

const CHECKS: Readonly<Record<string, readonly [fits: (text: string) => boolean, wanted: string]>> = {
  integer: [(text) => /^-?\d{1,10}$/.test(text), 'a whole number, such as 30'],
  port: [(text) => isWithin(text, [1, 65_535]), 'a port from 1 to 65,535'],
  ipv4: [(text) => IPV4.test(text), 'an IPv4 address, such as 192.168.1.1'],
  cidr: [isNetwork, 'an address, or a network such as 192.168.1.0/24'],
  mac: [(text) => /^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$/i.test(text), 'a MAC address, such as 00:1e:42:00:00:01'],
  host: [(text) => /^[A-Z0-9][A-Z0-9.-]*$/i.test(text), 'a host name or an address, without spaces'],
  file: [(text) => text.startsWith('/'), 'the path of a file on the device; it begins with /'],
  key: [(text) => /^[A-Z0-9+/]{43}=$/i.test(text), 'a key of 44 characters in base64; it ends with ='],
};

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  return IPV4.test(address) && rest.length === 0 && (prefix === undefined || PREFIX.test(prefix));
}

const isWithin = (text: string, [least, most]: readonly [number, number]): boolean =>
  /^-?\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most;

const figure = (value: number) => value.toLocaleString('en');

/** @returns a sentence, or null */
export function problemOf(option: FormOption, text: string): string | null {
  for (const line of option.isList ? linesOf(text) : [text]) {
    const problem = problemOfOne(option, line);
    if (problem) return option.isList && linesOf(text).length > 1 ? `${line}: ${problem}` : problem;
  }
  return null;
}

function problemOfOne({ type, words: { range }, values }: FormOption, text: string): string | null {
  if (text === '' || values) return null;
  if (isMarker(text.trim())) return 'This stands for a value that is not shown. Type the value itself.';
  const [fits, wanted] = CHECKS[type ?? ''] ?? [];
  if (fits && !fits(text)) return `This is not ${wanted}.`;
  if (range && !isWithin(text, range))
    return `This is not a whole number from ${figure(range[0])} to ${figure(range[1])}.`;
  return null;
}
