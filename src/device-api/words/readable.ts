/* Names that only machines were to read, in words. Apart from the dictionary, which is larger than what most screens load. */

const SHORT_FORMS = new Set(
  'acl apn avl bfd bgp ca cli cpu dh dhcp dlms dns fota ftp gps gre http https icmp id io ip ipsec ipv4 ipv6 l2tp lan led mac mtu nat nhrp nmea ntp opcua ospf pam pin pptp qos rip rms sim sms smpp snmp ssh sstp tcp tls udp url usb vlan vpn wan'.split(
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
