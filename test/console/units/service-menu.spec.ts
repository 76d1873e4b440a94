import { describe, expect, it } from 'vitest';
import { type Operation } from '../../../console/src/screens/device-api/operation.js';
import { hasWords, menusOf, wayTo } from '../../../console/src/screens/device-configuration/service-menu.js';
import { serviceAt, servicesBelow, servicesOf } from '../../../console/src/screens/device-configuration/services.js';

const operation = (method: Operation['method'], path: string): Operation => ({
  method,
  path,
  summary: '',
  query: [],
  options: [],
  takesFile: false,
});

const services = servicesOf(
  [
    '/api/firewall/zones/config',
    '/api/firewall/global',
    '/api/dhcp/servers/ipv4/config',
    '/api/interfaces/config',
    '/api/wireguard/config',
    '/api/wireguard/{id}/peers/config',
    '/api/quantum_links/config',
    '/api/ntp/global',
  ].flatMap((path) => [operation('GET', path), operation('DELETE', `${path}/{id}`)]),
);
const named = (name: string) => services.find((service) => service.name === name)!;

describe('the menus of a device', () => {
  it('are those of a router, in its order, with what is unknown at the end of the services', () => {
    const menus = menusOf(services).map(({ title, groups }) => [
      title,
      groups.map((group) => [group.title, group.entries.map((entry) => entry.title)]),
    ]);
    expect(menus).toEqual([
      [
        'Network',
        [
          ['Interfaces', ['Interfaces', 'WAN', 'LAN']],
          ['DHCP', ['DHCP servers']],
          ['Firewall', ['General', 'Zones']],
        ],
      ],
      [
        'Services',
        [
          ['VPN', ['WireGuard']],
          ['Others', ['Quantum links']],
        ],
      ],
      ['System', [['Time', ['Clock']]]],
    ]);
  });

  it('lead to what belongs to one section', () => {
    expect(servicesBelow(services, named('wireguard'), 'wg 0').map(({ path }) => path)).toEqual([
      '/api/wireguard/wg%200/peers/config',
    ]);
    expect(serviceAt(services, '/api/wireguard/wg0/peers/config')).toMatchObject({
      path: '/api/wireguard/wg0/peers/config',
      words: { title: 'Peers' },
    });
    expect(serviceAt(services, '/api/nothing/config')).toBeUndefined();
  });

  it('say where a service is, and find it by a title', () => {
    expect(wayTo(named('firewall/zones'))).toEqual(['Network', 'Firewall']);
    expect(wayTo(named('quantum_links'))).toEqual(['Services', 'Others']);
    expect(services.filter((service) => hasWords(service, ['zones'])).map(({ name }) => name)).toEqual([
      'firewall/zones',
    ]);
  });
});
