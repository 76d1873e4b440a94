/* The menus of a router, in the order of its own web pages. */

interface MenuGroup {
  readonly title: string;
  /** Beginnings of the names of its services, in their order. A service belongs to the longest one that fits. */
  readonly services: readonly string[];
  /** Entries that show a part of a service: the sections with this value of an option. */
  readonly parts?: readonly MenuPart[];
}

export interface MenuPart {
  readonly title: string;
  readonly service: string;
  readonly option: string;
  readonly value: string;
}

interface Menu {
  readonly title: string;
  readonly groups: readonly MenuGroup[];
}

const group = (title: string, services: string, parts: readonly MenuPart[] = []): MenuGroup => ({
  title,
  services: services.split(' '),
  parts,
});

const area = (title: string, value: string): MenuPart => ({ title, service: 'interfaces', option: 'area_type', value });

export const MENUS: readonly Menu[] = [
  {
    title: 'Network',
    groups: [
      group('Interfaces', 'interfaces network port_based_vlan ports_settings relayd igmp_proxy udprelay vrf', [
        area('WAN', 'wan'),
        area('LAN', 'lan'),
      ]),
      group('Failover', 'failover'),
      group('Mobile', 'sim_cards modems esim sim_switch sim_idle_protection operator_lists apn_database data_limit'),
      group('Wireless', 'wireless hotspot2 wifi_scanner'),
      group('DHCP', 'dhcp'),
      group('DNS', 'dns ddns'),
      group('Firewall', 'firewall dmz attack_prevention'),
      group('Routing', 'ip_routes ip_rules routing_tables bgp ospf rip eigrp nhrp'),
      group('Quality of service', 'qos sqm'),
    ],
  },
  {
    title: 'Services',
    groups: [
      group('VPN', 'wireguard openvpn ipsec tailscale zerotier gre l2tp l2tpv3 pptp sstp stunnel dmvpn tinc overip'),
      group('Positioning', 'gps ntrip'),
      group('Text messages', 'sms_utilities sms_gateway messages call_utilities smpp recipients email_relay'),
      group('Restarts', 'auto_reboot'),
      group('Hotspot', 'hotspot webfilter ulog'),
      group('Industry', 'modbus mqtt opcua dnp3 dlms bacnet io'),
      group('Clouds', 'rms data_to_server azure_iot_hub cloud_of_things cumulocity thingworx'),
      group('Management', 'snmp tr069 fota dfota modem_control events_reporting'),
      group('Storage', 'samba minidlna sshfs usb_tools'),
      group('Network services', 'vrrp upnp wol speedtest'),
    ],
  },
  {
    title: 'System',
    groups: [
      group('General', 'system console uscripts package_manager troubleshoot'),
      group('Users', 'users'),
      group('Access control', 'access_control'),
      group('Time', 'date_time ntp'),
      group('Logging', 'logging events_log'),
      group('Certificates', 'certificates'),
      group('Profiles', 'profiles'),
    ],
  },
];
