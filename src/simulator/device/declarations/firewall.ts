/* The firewall: zones, rules, forwarded ports. */
import { choice, flag, number, text, type Declared } from './forms.js';

export const FIREWALL: Declared = [
  {
    path: 'firewall/zones',
    type: 'zone',
    summary: 'Firewall zones',
    ids: 'either',
    permanent: ['1', '3'],
    options: {
      name: { ...text(11), required: true },
      input: choice(['ACCEPT', 'REJECT', 'DROP']),
      output: choice(['ACCEPT', 'REJECT', 'DROP']),
      forward: choice(['ACCEPT', 'REJECT', 'DROP'], 'REJECT'),
      masq: flag(),
      network: { type: 'text', list: true },
    },
    initial: [
      { id: '1', name: 'lan', network: ['lan'] },
      { id: '2', name: 'hotspot', input: 'REJECT' },
      {
        id: '3',
        name: 'wan',
        input: 'REJECT',
        masq: '1',
        network: ['wan', 'wan6', 'mob1s1a1', 'mob1s2a1'],
      },
    ],
  },
  {
    path: 'firewall/traffic_rules',
    type: 'rule',
    summary: 'Firewall traffic rules',
    ids: 'generated',
    maxSections: 128,
    options: {
      enabled: flag('1'),
      name: { ...text(63), required: true },
      src: text(11),
      dest: text(11),
      src_ip: { type: 'cidr', list: true },
      dest_ip: { type: 'cidr', list: true },
      dest_port: { type: 'port' },
      proto: { type: 'enum', values: ['tcp', 'udp', 'icmp', 'all'], list: true },
      target: choice(['ACCEPT', 'REJECT', 'DROP']),
      priority: number(0, 1000),
    },
  },
  {
    path: 'firewall/port_forwards',
    type: 'redirect',
    summary: 'Port forwards',
    ids: 'generated',
    maxSections: 128,
    options: {
      enabled: flag('1'),
      name: { ...text(63), required: true },
      src: text(11),
      src_dport: { type: 'port', required: true },
      dest_ip: { type: 'ipv4', required: true },
      dest_port: { type: 'port' },
      proto: { type: 'enum', values: ['tcp', 'udp'], list: true },
    },
  },
  {
    path: 'firewall',
    kind: 'record',
    type: 'defaults',
    summary: 'Firewall defaults',
    options: {
      input: choice(['ACCEPT', 'REJECT', 'DROP']),
      forward: choice(['REJECT', 'ACCEPT', 'DROP']),
      drop_invalid: flag(),
      auto_helper: flag('1'),
    },
    initial: [{ id: 'general' }],
  },
];
