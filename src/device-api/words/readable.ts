/* Names that only machines were to read, in words. Apart from the dictionary, which is larger than what most screens load. */

const SHORT_FORMS = new Set(
  'acl apn avl bacnet bfd bgp ca cli cpu ddns dfota dh dhcp dlms dmz dnp3 dns eigrp esim fota ftp gps gre http https icmp id io iot ip ipsec ipv4 ipv6 l2tp lan led mac mqtt mtu nat nhrp nmea ntp ntrip opcua ospf pam pin pptp qos rip rms sim sms smpp snmp sqm ssh sshfs sstp tcp tls tr069 udp upnp url usb vlan vpn vrf vrrp wan wol'.split(
    ' ',
  ),
);

/** `dead_peer_delay` as "Dead peer delay". */
export function readable(name: string): string {
  const text = name
    .split(/[_ .-]+/)
    .filter(Boolean)
    .map((word) =>
      SHORT_FORMS.has(word) ? word.replace('ipv', 'IPv').replace(/^(?!IPv).*/, (all) => all.toUpperCase()) : word,
    )
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
