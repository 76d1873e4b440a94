/*
 * Answers of devices, with the names, types and forms that were recorded (observed behaviour, section 3, and what public
 * clients read and write). Values of secrets are ours.
 */

/** What a path answers: fields that say nothing secret, and fields that hold a secret. */
export interface RecordedAnswer {
  readonly path: string;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}

const MODEM = {
  id: '2-1', rsrp: -97, rsrq: -11, sinr: 4, rssi: -67, signal: -67, temperature: 41, txbytes: 1641289903812,
  operator: 'Testnet LT', oper: 'Testnet LT', provider: 'N/A', conntype: '5G (NSA); VoLTE', ntype: '5G-NSA', band: '5G N78',
  imei: '860000000000001', iccid: '89370000000000000001', imsi: '246010000000001', cellid: '1A2B3C', lac: '3E9', tac: '7D1',
  simstate: 'Inserted', simstate_id: 0, pinstate: 'Required PIN, 3 attempts left', pinstate_id: 1, pinleft: 3, pukleft: 10,
  data_conn_state: 'Connected', netstate: 'Registered, home', active_sim: 1, mobile_stage: 19, busy_state: 'Idle',
  service_modes: { '4G': ['lte_b20'], '5G_NSA': ['5g_n78'], '2G': ['gsm_900'] }, sc_band_av: 'Active', cfg_version: '04.202.04.202',
  cell_info: [{ mcc: '246', mnc: '01', pcid: 101, earfcn: 'N/A', 'nr-arfcn': 636666, ue_state: 3 }],
  ca_signal: [{ band: 'LTE B20', bandwidth: '10 MHz', frequency: 6300, primary: true }], esim_profile: '1',
}; // prettier-ignore

const OPENVPN = {
  id: 'office', enable: '1', type: 'client', dev: 'tun', auth_mode: 'tls/pass', tls_security: 'tls_auth', auth: 'sha256',
  key_direction: '1', use_pkcs: '0', tls_auth: '/etc/certificates/ta.key', ca: '/etc/certificates/ca.cert.pem',
  cert: '/etc/certificates/client.cert.pem', key: '/etc/certificates/client.key.pem', dh: '/etc/certificates/dh.pem',
  data_ciphers: ['AES-256-GCM'], remote: ['vpn.example.org'], keepalive: '10 120', askpass: '/etc/openvpn/askpass',
}; // prettier-ignore

const WIRELESS = {
  id: 'default_radio0', enabled: '1', mode: 'ap', ssid: 'Depot', encryption: 'sae-mixed', 'key:set': '1', wpa_group_rekey: '3600',
  ieee80211w: '2', auth: 'EAP-MSCHAPV2', auth_server: '10.0.0.2', auth_port: '1812', eap_type: 'peap', identity: 'depot',
  mobility_domain: '4f57', priv_key: '/etc/certificates/client.key.pem', pkcs_cert: '', maclist: ['00:1E:42:00:00:01'],
}; // prettier-ignore

export const RECORDED_ANSWERS: readonly RecordedAnswer[] = [
  { path: '/api/login', shown: { username: 'admin', expires: 299, group: 'admin' }, secrets: { token: '0123456789abcdef0123456789abcdef' } },
  { path: '/api/session/status', shown: { active: true } },
  {
    path: '/api/unauthorized/status',
    shown: {
      lang: 'en', device_name: 'RUTX50', device_model: 'RUTX50', api_version: '1.9.2',
      device_identifier: '123456789012345678901234', security_banner: { title: 'Note', message: 'Authorised use only' },
    },
  },
  {
    path: '/api/system/device/status',
    shown: {
      mnfinfo: { serial: '6001000001', mac: '001E42000001', name: 'RUTX50000000', hwver: '0404', batch: '0021', blver: '3.0' },
      static: { fw_version: 'RUTX_R_00.07.17.3', kernel: '6.6.96', release: { target: 'ipq40xx/generic', revision: 'r16847-f8282da11e' } },
      board: {
        hwinfo: { wps: false, 'dot1x-client': true, at_sim: true, reset_button: true, key: false, port_link: true },
        modems: [{ id: '2-1', num: '1', simcount: 2, builtin: true, control: '2', gps: '1', revision: 'RG501QEUAAR12A11M4G_04.202' }],
        switch: { switch0: { enable: true, ports: [{ num: 0, need_tag: false, device: 'eth0' }] } },
      },
    },
  },
  { path: '/api/system/device/usage/status', shown: { memory: { ram_total: 241.08 }, loadavg: 0.195, uptime: '2d 12h 22m 40s', localtime: 1700000000 } },
  { path: '/api/modems/status', shown: MODEM },
  { path: '/api/modems/apns/status', shown: { id: 1, apn: 'internet', user: 'web', auth: 'chap', pdptype: '1' }, secrets: { password: 'web-secret' } },
  {
    path: '/api/modems/2-1/sim_cards/config',
    shown: { id: '1', position: '1', primary: '1', volte: 'auto', 'pincode:set': '1', deny_roaming: '0', sms_limit_num: '10' },
    secrets: { pincode: '1234', pukcode: '12345678' },
  },
  { path: '/api/interfaces/config', shown: { id: 'mob1s1a1', auth: 'pap', apn: 'internet', 'password:set': '1', auto_apn: '1' }, secrets: { password: 'web-secret' } },
  { path: '/api/wireless/interfaces/config', shown: WIRELESS, secrets: { key: 'Correct-Horse-9', auth_secret: 'radius-1', priv_key_pwd: 'pk-1', pkcs_passwd: 'pk-2' } },
  {
    path: '/api/wireless/actions/scan',
    shown: {
      ssid: 'Neighbour', bssid: '00:1E:42:00:00:02', channel: 6, encryption_description: 'WPA2 PSK (CCMP)',
      encryption: { enabled: true, wpa: [2], ciphers: ['ccmp'], authentication: ['psk'] },
    },
  },
  { path: '/api/wireless/actions/scan', shown: { encryption: { enabled: true, wep: ['open', 'shared'], wpa: [2, 3], authentication: ['sae', 'psk'] } } },
  { path: '/api/wireless/multi_ap/config', shown: { id: '1', ssid: 'Depot', enabled: '1', priority: '1' }, secrets: { key: 'Correct-Horse-9' } },
  {
    path: '/api/firmware/actions/verify',
    shown: {
      valid: '1', hw_support: '1', authorized: '1', passwd_warning: '0', newer: '1', allow_backup: '1', message_code: '0', size: '22.98 MB',
      md5: 'd41d8cd98f00b204e9800998ecf8427e', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  },
  { path: '/api/backup/status', shown: { backup_exists: '1', default_exists: '0', sha256: '-', md5: '-' } },
  { path: '/api/users/config', shown: { id: 'cfg01', username: 'admin', group: 'admin', ssh_enable: '1', 'password:set': '1' }, secrets: { password: 'Router-9!' } },
  { path: '/api/openvpn/config', shown: OPENVPN, secrets: { pass: 'vpn-1', userpass: 'vpn-2', decrypt: 'vpn-3' } },
  { path: '/api/wireguard/config', shown: { id: 'wg0', enabled: '1', listen_port: '51820', mtu: '1420' }, secrets: { private_key: 'kPkQ' } },
  { path: '/api/wireguard/wg0/peers/config', shown: { id: '1', persistent_keepalive: '25', tunlink: 'any', force_tunlink: '0' }, secrets: { preshared_key: 'kPkR' } },
  { path: '/api/sms_utilities/rules/config', shown: { id: '1', authorization: 'password', allowed_phone: 'all', smstext: 'reboot' }, secrets: { password: 'sms-1' } },
  { path: '/api/sms_utilities/rules/config', shown: { id: '2', authorization: 'serial', allowed_phone: 'single' } },
  { path: '/api/recipients/email_users/config', shown: { id: '1', credentials: '1', secure_conn: '0', username: 'joe' }, secrets: { password: 'mail-1' } },
  { path: '/api/tailscale/config', shown: { id: 'tailscale', auth_type: 'key', accept_routes: '1' }, secrets: { auth_key: 'tskey-1' } },
  { path: '/api/system/config', shown: { api_session_timeout: '300', session_timeout: '600', firstlogin: '0', devicename: 'depot' } },
  { path: '/api/snmp/agent/config', shown: { id: 'general', enabled: '1' }, secrets: { ro_community: 'public' } },
  { path: '/api/dhcp/leases/ipv4/status', shown: { macaddr: '00:1E:42:00:00:01', ipaddr: '192.168.1.100', expires: 3600, hostname: 'monkey' } },
  { path: '/api/gps/position/status', shown: { latitude: '54.68', accuracy: '0.9', fix_status: '1', timestamp: '1700000000000' } },
  { path: '/api/events_log/config/events', shown: { id: '7', type: 'WebUI', event: 'Password auth succeeded from 192.168.1.5', date: '2026-11-23 10:00:00' } },
]; // prettier-ignore
