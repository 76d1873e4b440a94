/* Names that only machines were to read, in words. Apart from the dictionary, which is larger than what most screens load. */

const SHORT_FORMS = new Set(
  'acl apn avl bacnet bfd bgp ca cli cpu ddns dfota dh dhcp dlms dmz dnp3 dns eigrp fota ftp gps gre http https icmp id io iot ip ipsec l2tp lan led mac mqtt mtu nat nhrp nmea ntp ntrip opcua ospf pam pin pptp qos rip rms sim sms smpp snmp sqm ssh sshfs sstp tcp tls tr069 udp upnp url usb vlan vpn vrf vrrp wan wol'.split(
    ' ',
  ),
);

/** Short forms that are not written in capitals. */
const MIXED = new Map([
  ['esim', 'eSIM'],
  ['ipv4', 'IPv4'],
  ['ipv6', 'IPv6'],
]);

/** `dead_peer_delay` as "Dead peer delay". */
export const readable = (name: string): string =>
  name
    .split(/[_ .-]+/)
    .filter(Boolean)
    .map((word, at) => shortForm(word) ?? (at === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word))
    .join(' ');

const shortForm = (word: string): string | undefined =>
  MIXED.get(word) ?? (SHORT_FORMS.has(word) ? word.toUpperCase() : undefined);
