import type { ServiceTable } from './words.js';

/* Network: the firewall. */

/** What a firewall does with a packet. */
const VERDICTS = { ACCEPT: 'Let it through', REJECT: 'Refuse it, and say so', DROP: 'Drop it in silence' } as const;

const TO_ROUTER = { title: 'To the router', values: VERDICTS } as const;
const FROM_ROUTER = { title: 'From the router', values: VERDICTS } as const;
const THROUGH_ROUTER = { title: 'Through the router', values: VERDICTS } as const;
const PROTOCOLS = { tcp: 'TCP', udp: 'UDP', icmp: 'ICMP', all: 'All' } as const;
const ORDER = { title: 'Order', range: [0, 1000], help: 'Rules with lower numbers come first.' } as const;

export const FIREWALL_WORDS: ServiceTable = {
  'firewall/global': {
    title: 'General',
    help: 'What happens to packets that no zone and no rule is about.',
    options: {
      input: TO_ROUTER,
      forward: THROUGH_ROUTER,
      drop_invalid: 'Drop invalid packets',
      auto_helper: { title: 'Connection helpers', help: 'For FTP, SIP and the like.' },
    },
  },
  'firewall/zones': {
    title: 'Zones',
    summary: ['{network}', 'to the router: {input}', 'through it: {forward}', '{masq}'],
    one: 'zone',
    help: 'What each network may reach when no rule says otherwise.',
    options: {
      name: { title: 'Name', help: 'At most 11 characters.', example: 'guests' },
      network: { title: 'Interfaces', example: 'lan' },
      input: TO_ROUTER,
      output: FROM_ROUTER,
      forward: THROUGH_ROUTER,
      masq: { title: 'Masquerading', help: 'Devices behind the router appear with its own address.' },
    },
  },
  'firewall/port_forwards': {
    title: 'Port forwards',
    summary: ['{proto}', 'from {src} port {src_dport}', 'to {dest_ip} port {dest_port}'],
    id: 'made',
    one: 'port forward',
    help: 'Connections from outside that are led to a device behind the router.',
    options: {
      enabled: 'On',
      name: 'Name',
      src: { title: 'From zone', example: 'wan' },
      proto: { title: 'Protocols', values: { tcp: 'TCP', udp: 'UDP' } },
      src_dport: { title: 'Port outside', range: [1, 65_535], example: '8080' },
      dest: { title: 'To zone', example: 'lan' },
      dest_ip: { title: 'To address', example: '192.168.1.20' },
      dest_port: { title: 'To port', range: [1, 65_535], example: '80' },
      src_ip: { title: 'From addresses', help: 'Empty: from anywhere.', example: '203.0.113.0/24' },
      src_mac: { title: 'From MAC addresses', example: '00:1e:42:00:00:01' },
      src_port: { title: 'From port', range: [1, 65_535] },
      reflection: { title: 'From inside, too', help: 'The outer address works inside the network.' },
      priority: ORDER,
    },
  },
  'firewall/traffic_rules': {
    title: 'Traffic rules',
    isOrdered: true,
    summary: ['{target}', '{proto}', 'from {src}', 'from {src_ip}', 'to {dest}', 'to {dest_ip}', 'port {dest_port}'],
    id: 'made',
    one: 'rule',
    help: 'They are looked at in their order, before the zones.',
    options: {
      enabled: 'On',
      name: 'Name',
      target: { title: 'What happens', values: VERDICTS },
      proto: { title: 'Protocols', values: PROTOCOLS },
      src: { title: 'From zone', example: 'wan' },
      src_ip: { title: 'From addresses', example: '203.0.113.0/24' },
      dest: { title: 'To zone', help: 'Empty: to the router itself.', example: 'lan' },
      dest_ip: { title: 'To addresses', example: '192.168.1.0/24' },
      dest_port: { title: 'To port', range: [1, 65_535], example: '443' },
      priority: ORDER,
    },
  },
  'firewall/nat_rules': { title: 'NAT rules', isOrdered: true, one: 'rule' },
  'firewall/custom_rules': { title: 'Own rules', one: 'rule' },
  dmz: { title: 'DMZ' },
  'attack_prevention/syn_flood': { title: 'Against SYN floods' },
  'attack_prevention/icmp': { title: 'Against ICMP floods' },
  'attack_prevention/ssh': { title: 'Against SSH attacks' },
  'attack_prevention/http': { title: 'Against HTTP attacks' },
  'attack_prevention/https': { title: 'Against HTTPS attacks' },
  'attack_prevention/port_scan': { title: 'Against port scans' },
};
