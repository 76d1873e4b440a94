/* The configurations that rutos-api-lib reads: each is `/api/<path>/config`, or has its `config`. An empty one answers `[]`. */

export const CONFIGURATION_PATHS: readonly string[] =
  `access_control/cli access_control/pam access_control/security access_control/security/attempts access_control/ssh access_control/telnet
   access_control/webui apn_database/config attack_prevention/http attack_prevention/https attack_prevention/icmp attack_prevention/port_scan
   attack_prevention/ssh attack_prevention/syn_flood auto_reboot/ping_wget auto_reboot/scheduler azure_iot_hub bacnet
   bacnet/bip bacnet/mstp bgp/access bgp/instance bgp/map_filters bgp/maps
   call_utilities/rules certificates certificates/ca certificates/certs certificates/client certificates/dh
   certificates/keys certificates/root_ca certificates/server cloud_of_things console cumulocity
   data_limit data_to_server/collections data_to_server/data data_to_server/servers date_time/ntp/client date_time/ntp/time_servers
   date_time/ntpd ddns dfota dhcp/servers/ipv4 dhcp/servers/ipv6 dhcp/static_leases/ipv4
   dhcp/static_leases/ipv6 dlms/connections dlms/cosem_group dlms/devices dmvpn dmz
   dnp3/outstation dnp3/serial dnp3/serial_outstation dnp3/tcp dns eigrp
   email_relay esim events_log events_reporting failover/interfaces failover/members
   failover/mode failover/policies failover/rules firewall/custom_rules firewall/nat_rules firewall/port_forwards
   firewall/traffic_rules firewall/zones fota gps/avl gps/avl/io_rules gps/avl/main_rules
   gps/avl/secondary_rules gps/avl/tavl_rules gps/geofencing gps/https gps/https/tavl_rules gps/nmea
   gps/nmea/rules gre hotspot hotspot/groups hotspot/themes hotspot/user_management
   hotspot/users hotspot/users/config hotspot2 igmp_proxy igmp_proxy/routes interfaces
   io/juggler/conditions io/juggler/inputs io/juggler/operations io/post_get io/scheduler ip_routes/ipv4
   ip_routes/ipv6 ip_rules/ipv4 ipsec ipsec/secrets l2tp/client l2tp/server
   l2tp/users l2tpv3 logging messages/storage minidlna modbus/client/serial
   modbus/client/serial/servers modbus/client/serial/servers/1/requests modbus/client/serial/servers/1/alarms modbus/client/tcp modbus/gateway modbus/serial_gateway modbus/server/serial modbus/server/tcp
   modbus/tcp_over_serial modbus/tcp_over_serial/1/filters modem_control mqtt/bridge mqtt/bridge/topics mqtt/broker mqtt/publisher
   network/devices network/devices/bridge network/devices/ethernet nhrp nhrp/interface ntrip
   opcua/destination_server opcua/group opcua/server openvpn operator_lists ospf
   ospf/area ospf/interface ospf/neighbor ospf/network overip package_manager/restore
   port_based_vlan ports_settings pptp/client pptp/server profiles profiles/scheduler
   qos/interfaces qos/rules recipients/email_users recipients/phone_groups relayd rip/access
   rip/interface rms routing_tables samba/shares samba/users sim_cards
   sim_idle_protection sim_switch smpp sms_gateway/auto_reply sms_gateway/email_to_sms sms_gateway/post_get
   sms_gateway/sms_forwarding/to_http sms_gateway/sms_forwarding/to_sms sms_gateway/sms_forwarding/to_smtp sms_utilities/rules snmp/agent snmp/communities
   snmp/communities_v6 snmp/system snmp/trap snmp/users speedtest sqm
   sshfs sstp stunnel system system/buttons system/led
   thingworx tinc tr069 troubleshoot udprelay ulog
   ulog/available_interfaces ulog/ftp upnp/acls upnp/redirects usb_tools usb_tools/mount
   usb_tools/p910nd uscripts users users/groups vrf vrrp
   webfilter webfilter/privoxy wifi_scanner wireguard wireless/devices wireless/interfaces
   wireless/multi_ap wol wol/global zerotier`.split(/\s+/);
