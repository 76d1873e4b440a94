import { describe, expect, it } from 'vitest';
import { misreadHost, misreading } from '../../src/platform/addresses/written-address.js';

describe('an address that means what it says', () => {
  it.each([
    'https://192.168.1.10',
    'https://192.168.1.10:8443',
    'https://192.168.1.10:443/',
    'HTTPS://Router-7.Plant.Example',
    'https://router_7.example/path/a..b/c',
    'https://[2001:db8::7]:8443',
    'https://[2001:DB8:0:0::7]',
    'https://xn--bcher-kva.example',
    'https://bücher.example',
    'https://пример.example',
    'https://10.example',
    'https://0x10.example',
    'https://user:p%40ss@hooks.example/in?a=%2e%2e#x',
    'https://hooks.example/in?next=..\\..',
    'http://0.0.0.0',
  ])('%s is accepted', (text) => {
    expect(misreading(text)).toBeNull();
  });
});

describe('an address that would be read as another one', () => {
  it.each([
    // Octal parts.
    ['https://192.168.001.010', 'the host 192.168.001.010 would be read as 192.168.1.8: 192.168.1.10?'],
    ['https://192.168.1.010:8443', '192.168.1.10?'],
    ['https://010.0.0.1', 'read as 8.0.0.1: 10.0.0.1?'],
    ['https://192.168.001.009', 'is no IPv4 address: 192.168.1.9?'],
    ['https://192.168.001.300', 'is no IPv4 address'],
    ['https://0192.168.1.1', '192.168.1.1?'],
    // Too few or too many parts.
    ['https://192.168.1', 'the host 192.168.1 would be read as 192.168.0.1: write four decimal numbers'],
    ['https://10.1', 'read as 10.0.0.1'],
    ['https://1', 'read as 0.0.0.1'],
    ['https://192.168.1.10.5', 'is no IPv4 address: write four decimal numbers'],
    ['https://192.168..1', 'is no IPv4 address'],
    // Other bases.
    ['https://3232235786', 'read as 192.168.1.10'],
    ['https://0xC0A8010A', 'read as 192.168.1.10'],
    ['https://0xc0.0xa8.1.10', 'read as 192.168.1.10'],
    ['https://192.168.1.0xa', 'read as 192.168.1.10'],
    ['https://0x', 'read as 0.0.0.0'],
    ['https://0300.0250.1.012', 'write'],
    // Dots.
    ['https://192.168.1.10.', 'read as 192.168.1.10: 192.168.1.10?'],
    ['https://router.example.', 'ends in a dot: router.example?'],
    // Letters.
    ['https://１９２.168.1.10', 'read as 192.168.1.10: 192.168.1.10?'],
    ['https://192。168。1。10', 'read as 192.168.1.10'],
    ['https://ｒouter.example', 'read as router.example'],
    ['https://rou\u00ADter.example', 'invisible character at position 12'],
    ['https://rou\u200Bter.example', 'invisible character'],
    ['https://bu\u0308cher\u2024example', 'read as'],
    ['https://раypal.example', 'letters of two scripts'],
    ['https://ℝouter.example', 'read as router.example'],
    // Percent signs.
    ['https://%31%39%32.168.1.10', 'has percent signs: 192.168.1.10?'],
    ['https://router%2eexample', 'has percent signs: router.example?'],
    ['https://router%zz', 'has percent signs'],
    // What `new URL` removes.
    [' https://192.168.1.10', 'at position 1'],
    ['https://192.168.1.10\n', 'at position 21'],
    ['https://192.168.\t1.10', 'at position 17'],
    ['https://192.168.1.10/a b', 'at position 23'],
    ['https://hooks.example/a/../b', 'the segment ..'],
    ['https://hooks.example/%2E%2e/b', 'the segment %2E%2e'],
    ['https://hooks.example/.', 'the segment .'],
    // Slashes.
    ['https:192.168.1.10', 'two slashes'],
    ['https:/192.168.1.10', 'two slashes'],
    ['https:///192.168.1.10', 'two slashes'],
    ['https:\\\\192.168.1.10', 'backslash'],
    ['https://192.168.1.10\\@other.example', 'backslash'],
    ['https://hooks.example\\in', 'backslash'],
    // Users and ports.
    ['https://a@b@hooks.example', 'more than one @'],
    ['https://192.168.1.10:', 'no port follows the colon'],
    ['https://192.168.1.10:0443', 'begins with 0: 443?'],
    ['https://[2001:db8::7]:', 'no port follows the colon'],
    // IPv6.
    ['https://2001:db8::7', 'needs brackets: [2001:db8::7]?'],
    ['https://[::ffff:192.168.1.10]', 'is an IPv4 address: 192.168.1.10?'],
    ['https://[::ffff:c0a8:10a]:8443', '192.168.1.10?'],
    ['https://[fe80::1%25eth0]', 'zone'],
    ['https://[fe80::1%eth0]', 'zone'],
  ])('%j is refused', (text, reason) => {
    expect(misreading(text)).toContain(reason);
  });

  it('is quoted without user and password', () => {
    expect(misreading('https://admin:hunter22@192.168.001.010/?token=abc')).not.toMatch(/admin|hunter|abc/);
  });

  it('is cut in the reason', () => {
    expect(misreading(`https://${'0'.repeat(1_000)}1.1.1.1`)!.length).toBeLessThan(300);
    expect(misreading(`https://${'0'.repeat(1_000_000)}1.1.1.1`)).toContain('longer than 2000');
  });
});

it.each([
  ['127.0.0.1', null],
  ['gateway.example', null],
  ['0', 'read as 0.0.0.0'],
  ['127.1', 'read as 127.0.0.1'],
  ['010.0.0.1', '10.0.0.1?'],
])('a host alone: %s', (host, reason) => {
  const said = misreadHost(host);
  if (reason === null) expect(said).toBeNull();
  else expect(said).toContain(reason);
});
