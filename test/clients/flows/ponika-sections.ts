import { type SectionLife } from '../flow.js';

/* The configuration services that ponika writes, with the options that it sends. */

export const PONIKA_SECTIONS: readonly SectionLife[] = [
  { path: '/users/config', create: { username: 'pnuser', password: 'Abcdefg1!', group: 'user', ssh_enable: '0' }, change: { group: 'admin' }, has: { username: 'text', group: 'text', ssh_enable: 'any' } },
  { path: '/interfaces/config', namesRemoved: false, create: { name: 'pnif', proto: 'static', ipaddr: '192.0.2.9', netmask: '255.255.255.0', enabled: '1' }, change: { metric: '7' }, has: { proto: 'text' } },
  { path: '/ip_routes/ipv4/config', create: { interface: 'lan', target: '192.0.2.0', netmask: '255.255.255.0', metric: '1', type: 'unicast' }, change: { metric: '2' } },
  { path: '/ip_routes/ipv6/config', create: { interface: 'lan', target: '2001:db8::/32', metric: '1' }, change: { metric: '2' } },
  { path: '/dhcp/static_leases/ipv4/config', create: { name: 'pnlease', mac: '00:1E:42:00:00:02', ip: '192.168.1.50' }, change: { name: 'pnlease2' }, has: { mac: 'text', ip: 'text' } },
  { path: '/dhcp/static_leases/ipv6/config', create: { name: 'pnlease', duid: '000100012a2b2c2d001e42000002', hostid: '2' }, change: { name: 'pnlease2' } },
  { path: '/wireless/interfaces/config', create: { mode: 'ap', ssid: 'Ponika', encryption: 'psk2', key: 'Correct-Horse-9', device: 'radio0', network: 'lan', enabled: '1' }, change: { ssid: 'Ponika2' }, has: { ssid: 'text' } },
  { path: '/wireguard/config', create: { id: 'pnwg', listen_port: '51822', addresses: ['10.8.0.1/24'], metric: '5', dns: ['192.0.2.53'], enabled: '0' }, change: { mtu: '1400' } },
  {
    path: '/wireguard/{wg}/peers/config',
    before: [{ send: 'POST /api/wireguard/config', data: { id: 'pnwgp', enabled: '0' }, save: { wg: 'data.id' } }],
    create: { public_key: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', allowed_ips: ['10.8.0.2/32'], description: 'depot', persistent_keepalive: '25' },
    change: { description: 'office' },
    after: [{ send: 'DELETE /api/wireguard/config/{wg}' }],
  },
  { path: '/openvpn/config', create: { id: 'pnvpn', enable: '0', type: 'client', dev: 'tun', remote: ['vpn.example.org'], port: '1194' }, change: { port: '1195' } },
  { path: '/zerotier/config', create: { name: 'pnzt', enabled: '0' }, change: { name: 'pnzt2' } },
  { path: '/auto_reboot/scheduler/config', create: { enable: '0', action: '1', period: 'week', days: ['mon'], time: ['03:00:00'] }, change: { enable: '1' } },
  { path: '/auto_reboot/ping_wget/config', create: { enable: '0', type: 'ping', action: '1', time: '5', host: ['192.0.2.1'] }, change: { time: '15' } },
  { path: '/sms_utilities/rules/config', create: { enabled: '0', action: 'reboot', smstext: 'pnreboot', authorization: 'password', password: 'Sms-1!' }, change: { smstext: 'pnrestart' } },
  { path: '/recipients/phone_groups/config', create: { name: 'pngroup', tel: ['+37060000000'] }, change: { name: 'pngroup2' } },
  { path: '/recipients/email_users/config', create: { name: 'pnmail', smtp_ip: '192.0.2.5', smtp_port: '25', senderemail: 'a@example.org', secure_conn: '0', credentials: '0' }, change: { smtp_port: '587' } },
]; // prettier-ignore
