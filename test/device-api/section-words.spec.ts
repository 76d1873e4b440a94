import { describe, expect, it } from 'vitest';
import { interfaceTitle, summaryOfSection, titleOfSection } from '../../src/device-api/words/section-words.js';

const MARKER = 'hmac:0123456789abcdef';

/** A section as its row says it: its title, and what it is set to. */
function rowOf(service: string, section: Record<string, unknown>, at = 0): readonly [string, string] {
  const title = titleOfSection(service, section, at);
  return [title, summaryOfSection(service, section, title)];
}

describe('a section of a service', () => {
  it.each([
    ['interfaces', { id: 'lan', name: 'lan', proto: 'static', ipaddr: '192.168.1.1', netmask: '255.255.255.0' }, ['LAN', '192.168.1.1/24 · Static']],
    ['interfaces', { id: 'mob1s2a1', name: 'mob1s2a1', proto: 'wwan', metric: '3', auto_apn: '1' }, ['Mobile, SIM 2', 'Automatic APN · metric 3']],
    ['interfaces', { id: 'guests', name: 'Visitors', proto: 'static', ipaddr: '10.0.0.1', netmask: '255.0.255.0' }, ['Visitors', 'Static']],
    ['sim_cards', { id: '1', position: '2', primary: '0', service: 'lte_pref', deny_roaming: '1' }, ['SIM card 2', '4G preferred · No roaming']],
    ['firewall/zones', { id: '3', name: 'wan', network: ['wan6', 'mob1s1a1'], input: 'REJECT', masq: '1' }, ['WAN', 'WAN (IPv6), Mobile SIM 1 · to the router: refuse it · Masquerading']],
    ['wireguard', { id: 'wg0', private_key: MARKER, addresses: ['10.8.0.2/24'] }, ['wg0', '10.8.0.2/24']],
    ['system/buttons', { id: 'reboot', handler: 'reboot', min: '0', max: '5' }, ['Restart', 'Pressed 0 to 5 seconds']],
    ['date_time/ntp/client', { id: 'ntpclient', interval: '600' }, ['Time client', 'Set the clock every 600 seconds']],
  ] as const)('of %s is said in words: %#', (service, section, said) => expect(rowOf(service, section)).toEqual(said)); // prettier-ignore

  it('has its place where the order counts', () => {
    const rule = { id: '7', name: 'Allow-Ping', target: 'ACCEPT', proto: ['icmp'], src: 'wan' };
    expect(rowOf('firewall/traffic_rules', rule, 2)).toEqual([
      'Rule 3: Allow-Ping',
      'Let it through · ICMP · from WAN',
    ]);
    expect(rowOf('firewall/traffic_rules', { id: 'cfg0192bd' }, 4)[0]).toBe('Rule 5');
  });

  it('of a service that the dictionary does not know says its first settings, and no secret', () => {
    const section = { id: 'cfg03ac', '.type': 'x', enabled: '1', psk: MARKER, 'key:set': '1', key: '', peer_name: 'hq', retry: '4' }; // prettier-ignore
    expect(rowOf('some/tunnels', section, 1)).toEqual(['Entry 2', 'Peer name hq · Retry 4']);
  });

  it('takes no value that is no text', () =>
    expect(rowOf('interfaces', { id: 7, name: null, ipaddr: {}, proto: ['dhcp', 3] })).toEqual([
      'Interface 1',
      'DHCP',
    ]));
});

it('names of networks that a person chose stay as they are', () =>
  expect(['lan2', 'mob2s1a2', 'radio0', 'wlan', 'guest_lan'].map((name) => interfaceTitle(name))).toEqual([
    'LAN 2',
    'Mobile 2, SIM 1, APN 2',
    'Radio 1',
    null,
    null,
  ]));
