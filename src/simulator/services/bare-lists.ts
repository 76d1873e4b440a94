/*
 * Configuration lists that clients read and that are empty on a new device. The simulator knows nothing of their sections, so
 * it answers an empty list and refuses writes. A service that gets a declaration leaves this list.
 */
import { ok } from '../device/exchange.js';
import { onGet, type Route } from '../http/route.js';

/** By the first part of the path, with what follows it; `.` is the path itself. */
const NAMES: Readonly<Record<string, string>> = {
  access_control: 'telnet pam ssh webui cli security security/attempts',
  apn_database: '.',
  attack_prevention: 'http https port_scan icmp ssh syn_flood',
  azure_iot_hub: '.',
  bacnet: '. bip mstp',
  bgp: 'instance access maps map_filters',
  call_utilities: 'rules',
  certificates: 'certs ca client server keys dh root_ca',
  cloud_of_things: '.',
  console: '.',
  cumulocity: '.',
  data_limit: '.',
  data_to_server: 'collections data servers',
  date_time: 'ntpd',
  ddns: '.',
  dfota: '.',
  dhcp: 'servers/ipv6',
  dlms: 'connections devices cosem_group',
  dmvpn: '.',
  dmz: '.',
  dnp3: 'tcp serial outstation serial_outstation',
  dns: '.',
  eigrp: '.',
  email_relay: '.',
  events_reporting: '.',
  failover: 'mode interfaces policies rules',
  firewall: 'custom_rules nat_rules',
  fota: '.',
  gps: 'https https/tavl_rules avl avl/main_rules avl/secondary_rules avl/tavl_rules avl/io_rules geofencing',
  gre: '.',
  hotspot: '. users users/config themes groups user_management',
  hotspot2: '.',
  igmp_proxy: '. routes',
  io: 'juggler/conditions juggler/operations juggler/inputs post_get scheduler',
  ip_rules: 'ipv4',
  ipsec: '. secrets',
  l2tp: 'client server users',
  l2tpv3: '.',
  logging: '.',
  messages: 'storage',
  minidlna: '.',
  modbus:
    'client/tcp client/serial client/serial/servers client/serial/servers/{id}/requests client/serial/servers/{id}/alarms ' +
    'server/serial server/tcp tcp_over_serial tcp_over_serial/{id}/filters gateway serial_gateway',
  modem_control: '.',
  mqtt: 'broker bridge bridge/topics publisher',
  network: 'devices devices/bridge devices/ethernet',
  nhrp: '. interface',
  ntrip: '.',
  opcua: 'destination_server server group',
  operator_lists: '.',
  ospf: '. interface neighbor area network',
  overip: '.',
  package_manager: 'restore',
  port_based_vlan: '.',
  ports_settings: '.',
  pptp: 'client server',
  profiles: 'scheduler',
  qos: 'interfaces rules',
  relayd: '.',
  rip: 'interface access',
  rms: '.',
  routing_tables: '.',
  samba: 'shares users',
  sim_idle_protection: '.',
  sim_switch: '.',
  smpp: '.',
  sms_gateway: 'post_get auto_reply email_to_sms sms_forwarding/to_http sms_forwarding/to_sms sms_forwarding/to_smtp',
  snmp: 'agent system communities_v6 trap',
  speedtest: '.',
  sqm: '.',
  sshfs: '.',
  sstp: '.',
  stunnel: '.',
  thingworx: '.',
  tinc: '.',
  tr069: '.',
  troubleshoot: '.',
  udprelay: '.',
  ulog: '. available_interfaces ftp',
  upnp: 'acls redirects',
  usb_tools: '. mount p910nd',
  uscripts: '.',
  vrf: '.',
  vrrp: '.',
  webfilter: '. privoxy',
  wifi_scanner: '.',
  wol: '. global',
};

/** Between `/api/` and `/config`. */
export const BARE_LISTS: readonly string[] = Object.entries(NAMES).flatMap(([stem, names]) =>
  names.split(' ').map((name) => (name === '.' ? stem : `${stem}/${name}`)),
);

const EMPTY = ok([]);

export const BARE_LIST_ROUTES: readonly Route[] = BARE_LISTS.map((path) =>
  onGet(`/api/${path}/config`, `${path}: an empty list`, () => EMPTY),
);
