import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callerAddress, callerAddressReader, readAddress } from '../../src/http/caller-address.js';

/* The one reader of the caller's address: what proxies write, and what attackers write in front of it. */

/** What is written, and the address that it means; null: no address. */
const FORMS: readonly [written: string, address: string | null][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['203.0.113.7:_port', '203.0.113.7'],
  ['"203.0.113.7"', '203.0.113.7'],
  ['"203.0.113.7:51234"', '203.0.113.7'],
  ['\t203.0.113.7 ', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:51234', '2001:db8::7'],
  ['"[2001:db8::7]:4711"', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:cb00:7107]:80', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25en1]:443', 'fe80::1'],
  ['unknown', null],
  ['_hidden', null],
  ['unix:', null],
  ['', null],
  ['-', null],
  ['localhost', null],
  ['203.0.113', null],
  ['203.0.113.007', null],
  ['0xcb.0.113.7', null],
  ['3405803783', null],
  ['203.0.113.7:', null],
  ['203.0.113.7:123456', null],
  ['203.0.113.7:80:80', null],
  ['203.0.113.7/24', null],
  ['203.0.113.7%eth0', null],
  ['203.0.113.7;for=198.51.100.1', null],
  ['for=203.0.113.7', null],
  ['2001:db8:0:0:0:0:0:7:51234', null],
  ['[2001:db8::7', null],
  ['[2001:db8::7]x', null],
  ['[]', null],
  ['[203.0.113.7]', null],
  ['"', null],
  ['""', null],
  ['"203.0.113.7', null],
  ["'203.0.113.7'", null],
  ['203.0.113.7 198.51.100.1', null],
  ['２０３.0.113.7', null],
  [`${'0'.repeat(10_000)}203.0.113.7`, null],
];

const trusts = (address: string) => address.startsWith('10.') || address === 'fd00::1';

const MANY = 'x,'.repeat(100_000);
const PROXIES = Array.from({ length: 40 }, (_none, index) => `10.0.0.${index}`).join(', ');

/** The peer, X-Forwarded-For, and who called. */
const CHAINS: readonly [what: string, peer: string | null, header: string | undefined, address: string][] = [
  ['no proxy', '203.0.113.7', undefined, '203.0.113.7'],
  ['a header of a stranger', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy with an empty header', '10.0.0.1', ' ', '10.0.0.1'],
  ['one proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['one proxy that writes ports', '10.0.0.1', '203.0.113.7:51234', '203.0.113.7'],
  ['a forged element before it', '10.0.0.1', '198.51.100.1, 203.0.113.7:51234', '203.0.113.7'],
  ['a trusted address that is forged', '10.0.0.1', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
  ['two proxies with ports', '10.0.0.1', '203.0.113.7:51234, 10.0.0.2:40000', '203.0.113.7'],
  ['a proxy over IPv6', 'fd00::1', '[2001:db8::7]:9, [fd00::1]:8', '2001:db8::7'],
  ['proxies alone', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['a proxy that does not know', '10.0.0.1', 'unknown', 'unknown'],
  ['one that does not know, after a forged element', '10.0.0.1', '198.51.100.1, unknown', 'unknown'],
  ['a name, after a forged element', '10.0.0.1', '198.51.100.1, _hidden', 'unknown'],
  ['an empty element at the end', '10.0.0.1', '198.51.100.1,', 'unknown'],
  ['empty elements alone', '10.0.0.1', ',,,', 'unknown'],
  ['an empty element at the front', '10.0.0.1', ',203.0.113.7', '203.0.113.7'],
  ['an empty element behind a proxy', '10.0.0.1', ',10.0.0.2', 'unknown'],
  ['a very long list', '10.0.0.1', `${MANY}203.0.113.7`, '203.0.113.7'],
  ['more proxies than there can be', '10.0.0.1', `203.0.113.7, ${PROXIES}`, 'unknown'],
  ['a connection that is gone', null, '203.0.113.7', 'unknown'],
];

describe('an address', () => {
  it.each(FORMS)('that is written %j is %s', (written, address) => expect(readAddress(written)).toBe(address));
});

describe('the caller', () => {
  it.each(CHAINS)('behind %s is the one that is known', (_what, peer, header, address) =>
    expect(callerAddress(peer, header, trusts)).toBe(address),
  );

  it.each([
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['fd00::/8', 'fd00::1%eth0'],
    ['2001:db8::/32', '2001:DB8:0::1'],
  ])('is read behind proxies of %s for a connection of %s', (network, remoteAddress) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': '203.0.113.7' } };
    expect(callerAddressReader([network])(request as unknown as IncomingMessage)).toBe('203.0.113.7');
    expect(callerAddressReader([])(request as unknown as IncomingMessage)).not.toBe('203.0.113.7');
  });

  it('is read in one place alone', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const readers = files.filter(
      (file) =>
        !/^(simulator|device-api|cli)\//.test(file) &&
        /\b(request|req|raw)\??\.ips?\b|[{,]\s*ips?\s*[},:]|\bremoteAddress\b|'x-forwarded-for'/i.test(
          readFileSync(`src/${file}`, 'utf8'),
        ),
    );
    expect(readers).toEqual(['http/caller-address.ts']);
  });
});
