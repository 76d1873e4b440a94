import { isIP } from 'node:net';
import { callerAddress, readAddress, UNKNOWN_ADDRESS } from '../src/http/caller-address.js';
import { type Random } from '../src/simulator/device/random.js';
import { pickOf } from './hostile-bodies.js';

/*
 * Hostile X-Forwarded-For headers. Whatever a caller writes in front of what the trusted proxy adds, the gateway sees what
 * the proxy added: as one spelling of an address, or as no address.
 */

const PIECES = [
  '203.0.113.7', '10.0.0.9', '2001:db8::7', '::ffff:203.0.113.7', 'fe80::1', 'unknown', '_hidden', 'unix:', 'localhost', '0x7f.1',
  '[', ']', '"', "'", ':', ';', ',', ' ', '\t', '%', '%25eth0', '.', '-', '_', '0', '1', '65535', ':80', 'for=', '/8', 'é', '\u0000',
] as const; // prettier-ignore

const PEER = '10.0.0.1';
const isTrusted = (address: string): boolean => address.startsWith('10.');

/** A client that the proxy saw, as a load balancer writes it, and its one spelling. */
const CLIENTS = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['"[2001:DB8::7]:51234"', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['unknown', UNKNOWN_ADDRESS],
  ['_hidden', UNKNOWN_ADDRESS],
] as const;

const PIECES_MAX = 40;

/** @returns what was broken */
export function fuzzForwardedFor(count: number, random: Random): string[] {
  const pick = pickOf(random);
  const broken: string[] = [];
  for (let made = 0; made < count; made++) {
    const forged = Array.from({ length: random.integer(0, PIECES_MAX) }, () => pick(PIECES)).join('');
    const [written, address] = pick(CLIENTS);
    const seen = callerAddress(PEER, `${forged}, ${written}`, isTrusted);
    if (seen !== address) broken.push(`X-Forwarded-For ${JSON.stringify(`${forged}, ${written}`)} gave ${seen}`);
    const alone = callerAddress(PEER, forged, isTrusted);
    const isOneSpelling = alone === UNKNOWN_ADDRESS || (isIP(alone) !== 0 && readAddress(alone) === alone);
    if (!isOneSpelling) broken.push(`X-Forwarded-For ${JSON.stringify(forged)} gave ${JSON.stringify(alone)}`);
  }
  return broken;
}
