import { describe, expect, it } from 'vitest';
import { checkBaseUrl, isForbiddenAddress, type AddressPolicy } from '../../src/devices/registry/base-url.js';

const policy: AddressPolicy = { allowLoopback: false, allowedCidrs: [], ownEndpoints: new Set(['10.1.1.1:5432']) };
const refusal = (text: string, trust: 'pin' | 'insecure' = 'pin', rules = policy) => {
  try {
    checkBaseUrl(text, trust, rules);
    return null;
  } catch (error) {
    return (error as { code?: string; facts?: { reason?: string } }).facts?.reason ?? String(error);
  }
};

describe('a base URL', () => {
  it.each([
    ['https://192.168.1.1', 'https://192.168.1.1'],
    ['https://192.168.1.1/', 'https://192.168.1.1'],
    ['https://192.168.1.1:443', 'https://192.168.1.1'],
    ['https://192.168.1.1:8443', 'https://192.168.1.1:8443'],
    ['HTTPS://Router-7.Plant.Example', 'https://router-7.plant.example'],
    ['https://[2001:db8::7]:8443', 'https://[2001:db8::7]:8443'],
    ['https://100.64.3.9', 'https://100.64.3.9'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('%s is kept as %s', (text, kept) => {
    expect(checkBaseUrl(text, 'pin', policy)).toBe(kept);
  });

  it.each([
    ['router', /not a URL/],
    ['', /not a URL/],
    ['ftp://192.168.1.1', /https: and http:/],
    ['javascript:alert(1)', /https: and http:/],
    ['file:///etc/passwd', /https: and http:/],
    ['http://192.168.1.1', /only with trust `insecure`/],
    ['https://admin:pw@192.168.1.1', /credentials/],
    ['https://admin@192.168.1.1', /credentials/],
    ['https://192.168.1.1/api', /end after host and port/],
    ['https://[::7f00:1]', /IPv4-compatible/],
    ['https://[::10.1.1.1]:5432', /IPv4-compatible/],
    ['https://192.168.1.1/?x=1', /end after host and port/],
    ['https://192.168.1.1/#x', /end after host and port/],
    ['https://192.168.1.1?', /end after host and port/],
    ['https://192.168.1.1:0', /port 0/],
    ['https://192.168.1.1:70000', /not a URL/],
    ['https://127.0.0.1', /own machine/],
    ['https://127.8.9.1', /own machine/],
    ['https://2130706433', /own machine/],
    ['https://0x7f.1', /own machine/],
    ['https://0177.0.0.1', /own machine/],
    ['https://[::1]', /own machine/],
    ['https://[::ffff:127.0.0.1]', /own machine/],
    ['https://[::ffff:7f00:1]', /own machine/],
    ['https://localhost', /own machine/],
    ['https://a.localhost', /own machine/],
    ['https://0.0.0.0', /unspecified/],
    ['https://[::]', /unspecified/],
    ['https://169.254.169.254', /link-local/],
    ['https://[fe80::1]', /link-local/],
    ['https://[::ffff:169.254.169.254]', /link-local/],
    ['https://[fd00:ec2::254]', /metadata/],
    ['https://100.100.100.200', /metadata/],
    ['https://224.0.0.1', /multicast/],
    ['https://255.255.255.255', /broadcast/],
    ['https://240.0.0.1', /reserved/],
    ['https://[64:ff9b::7f00:1]', /translated/],
    ['https://[2002:7f00:1::]', /tunnelled/],
    ['https://10.1.1.1:5432', /gateway itself/],
    ['https://ro uter', /not a URL/],
    ['https://-router.example', /not a name/],
  ])('%s is refused', (text, reason) => {
    expect(refusal(text)).toMatch(reason);
  });

  it('may be http: where nothing is trusted anyway', () => {
    expect(refusal('http://192.168.1.1', 'insecure')).toBeNull();
  });

  it('may be on loopback when the simulator is in use', () => {
    expect(refusal('https://127.0.0.1:9000', 'pin', { ...policy, allowLoopback: true })).toBeNull();
  });

  it('must be in the networks of devices when they are named', () => {
    const rules = { ...policy, allowedCidrs: ['10.20.0.0/16', 'fd12::/16'] };
    expect(refusal('https://10.20.7.7', 'pin', rules)).toBeNull();
    expect(refusal('https://[fd12::1]', 'pin', rules)).toBeNull();
    expect(refusal('https://10.21.7.7', 'pin', rules)).toMatch(/DEVICE_ALLOWED_CIDRS/);
  });
});

describe('an address that a name resolves to', () => {
  it.each(['127.0.0.1', '::1', '169.254.169.254', '::ffff:169.254.169.254', '0.0.0.0', 'not-an-address'])(
    'is no device when it is %s',
    (address) => {
      expect(isForbiddenAddress(address, 443, policy)).not.toBeNull();
    },
  );

  it.each(['10.0.0.1', '192.168.7.1', '100.64.0.1', '172.16.0.1', 'fd00::1', '8.8.8.8'])('may be %s', (address) => {
    expect(isForbiddenAddress(address, 443, policy)).toBeNull();
  });
});
