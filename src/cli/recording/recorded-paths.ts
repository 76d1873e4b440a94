/* What `fleetgate doctor --record` reads: paths that clients of such routers use. None has a name or number of one router in it. */

const STATUS = `unauthorized session system/device system/device/usage system/device/load system/device/parameters
  system/device/packages modems modems/countries sim_cards messages messages/storage interfaces wireless/interfaces
  wireless/devices network/devices dhcp/leases/ipv4 dhcp/leases/ipv6 dhcp/servers/ipv4 ip_routes/ipv4 ip_routes/ipv6
  ip_neighbors/ipv4 ip_neighbors/ipv6 failover internet_connection firewall/connections gps gps/position gps/nmea
  firmware/device firmware/device/updates firmware/device/progress firmware/modem backup data_limit data_usage/day
  data_usage/month openvpn tailscale`;

const CONFIG = `users users/groups interfaces dhcp/servers/ipv4 dhcp/static_leases/ipv4 wireless/interfaces
  wireless/devices wireless/multi_ap sim_cards firewall/zones firewall/traffic_rules firewall/port_forwards
  failover/members ip_routes/ipv4 ntp/servers date_time/ntp/time_servers sms_utilities/rules auto_reboot/ping_wget
  auto_reboot/scheduler certificates certificates/root_ca openvpn wireguard zerotier tailscale snmp/communities
  recipients/phone_groups profiles date_time/ntp/client system system/banner system/buttons system/led gps/nmea/rules`;

const GLOBAL = 'access_control firewall gps snmp system/device';

const OPTIONS = 'system/languages sms_utilities/rules auto_reboot/ping_wget';

const paths = (services: string, end: string): string[] =>
  services.split(/\s+/).map((service) => `/api/${service}/${end}`);

export const RECORDED_PATHS: readonly string[] = [
  ...paths(STATUS, 'status'),
  ...paths(CONFIG, 'config'),
  ...paths(GLOBAL, 'global'),
  ...paths(OPTIONS, 'options'),
];
