/* What public clients make a device do, and the sections that they write: bodies, answers, and what is true afterwards. */
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Caller, Fleets, until, type Reply } from './caller.js';
import { all, DIGITS, listOf, NUMBER, TEXT, WHOLE } from './forms.js';

const fleets = new Fleets();
const agent = new https.Agent({ keepAlive: true });
let admin: Caller;
beforeAll(async () => {
  const fleet = await fleets.start({ profile: 'rutos', keepAlive: true });
  admin = await new Caller(fleet.devices[0]!, agent).login();
});
afterAll(async () => {
  agent.destroy();
  await fleets.close();
});

/** Title, body, `data` of the answer; undefined: the answer has none, as clients need. */
const ACTIONS: [title: string, body: object | undefined, data: unknown][] = [
  ['POST /api/modems/2-1/actions/reboot', undefined, undefined],
  ['POST /api/modems/2-1/actions/restart_connection', undefined, undefined],
  ['POST /api/modems/2-1/actions/switch_sim', undefined, undefined],
  [
    'POST /api/modems/2-1/actions/send_ussd',
    { ussd: '*100#' },
    { ...all(TEXT, 'response message coding_scheme timestamp'), state_id: WHOLE },
  ],
  [
    'POST /api/modems/2-1/actions/exec_at',
    { command: 'AT+CSQ' },
    { response: expect.stringMatching(/^\+CSQ: \d+,99\nOK$/) },
  ],
  [
    'POST /api/modems/2-1/actions/scan_network',
    undefined,
    listOf({ ...all(TEXT, 'status op_name short_name num_name net_access_type'), status_code: WHOLE }),
  ],
  ['POST /api/modems/2-1/actions/sim_unlock', { pin: '1234' }, undefined],
  ['POST /api/modems/2-1/actions/pin_lock', { pin: '1234', enabled: '1' }, undefined],
  ['POST /api/modems/2-1/actions/sim_unblock', { pin: '1234', puk: '12345678' }, { 'pin:set': '1' }],
  ['POST /api/modems/2-1/actions/change_pin', { pin: '1234', new_pin: '1234' }, { 'new_pin:set': '1' }],
  ['POST /api/messages/actions/send', { number: '+37060000001', message: 'hello', modem: '2-1' }, { sms_used: 1 }],
  [
    'POST /api/wireless/actions/scan',
    { device: 'radio0' },
    listOf({
      ...all(TEXT, 'ssid bssid mode encryption_description'),
      ...all(NUMBER, 'channel quality quality_max signal mhz'),
      encryption: {
        enabled: expect.any(Boolean),
        wpa: expect.any(Array),
        ...all(expect.any(Array), 'ciphers authentication'),
      },
    }),
  ],
  [
    'POST /api/diagnostics/actions/ping',
    { host: 'example.net' },
    { response: expect.stringContaining(' 0% packet loss') },
  ],
  [
    'POST /api/diagnostics/actions/traceroute',
    { host: 'example.net' },
    { response: expect.stringContaining('30 hops') },
  ],
  ['POST /api/diagnostics/actions/nslookup', { host: 'example.net' }, { response: expect.stringContaining('Address') }],
  ['POST /api/backup/actions/create_default', undefined, {}],
  ['POST /api/backup/actions/remove_default', undefined, {}],
  ['POST /api/backup/actions/delete', undefined, { sha256: '-', md5: '-' }],
  [
    'POST /api/recipients/email_users/actions/send_email',
    { smtp_ip: '192.0.2.25', smtp_port: '25', senderemail: 'a@example.net', secure_conn: '0' },
    { response: TEXT },
  ],
];

const told = ({ status, body }: Reply): [number, number] => [status, body.errors?.[0].code];

describe('what clients do', () => {
  it.each(ACTIONS)('%s', async (title, body, data) => {
    const reply = await admin.post(title.slice('POST '.length), body);
    expect(reply.body).toMatchObject({ success: true });
    if (data === undefined) expect(reply.body).not.toHaveProperty('data');
    else expect(reply.body).toMatchObject({ data });
  });

  it.each([
    ['/api/modems/9-9/actions/reboot', undefined, [404, 113]],
    ['/api/modems/2-1/actions/send_ussd', { ussd: 'rm -rf' }, [422, 103]],
    ['/api/modems/2-1/actions/sim_unlock', { pin: 'x' }, [422, 103]],
    ['/api/messages/actions/send', { number: '+37060000001', message: 'hello', modem: '1-1' }, [422, 103]],
    ['/api/messages/actions/remove_messages', { modem_id: '2-1', sms_id: ['nowhere'] }, [404, 113]],
    ['/api/wireless/actions/scan', { device: 'radio9' }, [422, 103]],
    ['/api/wireless/actions/reconnect', { sta_id: 'default_radio0' }, [422, 103]],
    ['/api/diagnostics/actions/ping', { host: '$(reboot)' }, [422, 103]],
    ['/api/backup/actions/reset_settings', { type: 'all' }, [422, 103]],
    ['/api/backup/actions/reset_settings', { type: 'user' }, [404, 113]],
    ['/api/recipients/email_users/actions/send_email', {}, [422, 103]],
    ['/api/modbus/client/serial/servers/1/requests/actions/test_request', { type: '/dev/ttyS0' }, [422, 103]],
    ['/api/modbus/client/tcp/1/requests/actions/test_request', { dev_ipaddr: 'nowhere', port: '502' }, [422, 103]],
  ])('POST %s refuses a wrong body', async (path, body, expected) => {
    expect(told(await admin.post(path, body))).toEqual(expected);
  });

  it('three wrong PINs block the card until its PUK is used', async () => {
    const pinLeft = async () => (await admin.get('/api/modems/status')).body.data[0].pinleft;
    const attempt = (pin: string) => admin.post('/api/modems/2-1/actions/sim_unlock', { pin });
    for (const left of [2, 1, 0]) {
      expect(told(await attempt('9999'))).toEqual([422, 103]);
      expect(await pinLeft()).toBe(left);
    }
    expect(told(await attempt('1234'))).toEqual([422, 103]);
    const wrong = await admin.post('/api/modems/2-1/actions/sim_unblock', { pin: '1234', puk: '00000000' });
    expect(told(wrong)).toEqual([422, 103]);
    expect((await admin.get('/api/modems/status')).body.data[0]).toMatchObject({
      pinstate: 'PUK',
      pukleft: 9,
      mobile_stage: 6,
      state: 'Disconnected',
    });
    await admin.post('/api/modems/2-1/actions/sim_unblock', { pin: '1234', puk: '12345678' });
    expect((await attempt('1234')).status).toBe(200);
    expect(await pinLeft()).toBe(3);
  });

  it('POST /api/messages/actions/remove_messages', async () => {
    const list = async (): Promise<{ id: string }[]> => (await admin.get('/api/messages/status')).body.data;
    const [first, ...rest] = await list();
    const reply = await admin.post('/api/messages/actions/remove_messages', { modem_id: '2-1', sms_id: [first!.id] });
    expect(reply.body.data).toEqual({ response: TEXT });
    expect(await list()).toEqual(rest);
  });

  it('POST /cgi-bin/sms_send', async () => {
    const { device } = admin;
    const form = (password: string) =>
      new URLSearchParams({ username: 'admin', password, number: '+37060000002', text: 'by form' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (password: string) =>
      admin.send('POST', '/cgi-bin/sms_send', { body: form(password), headers, token: null });
    const before = device.ledger.summary(0).effects['send-message'] ?? 0;
    expect((await send('wrong')).status).toBe(401);
    expect((await send(device.password)).status).toBe(200);
    expect(device.ledger.summary(0).effects['send-message']).toBe(before + 1);
  });

  it('POST /api/wireless/actions/join', async () => {
    const reply = await admin.post('/api/wireless/actions/join?use_cache=true', {
      device: 'radio0',
      ssid: 'harbour-1',
      password: 'a-long-password',
    });
    expect(reply.body.data).toMatchObject({ mode: 'sta', ssid: 'harbour-1' });
    const { network, id } = reply.body.data;
    expect((await admin.get(`/api/interfaces/config/${network}`)).body.data).toMatchObject({ proto: 'dhcp' });
    expect((await admin.get('/api/firewall/zones/config/3')).body.data.network).toContain(network);
    const joined = (await admin.get(`/api/interfaces/status/${network}`)).body.data;
    expect(joined).toMatchObject({ up: true, type: 'wifi', ipaddrs: [TEXT] });
    expect((await admin.get('/api/failover/status')).body.data[network].status).toBe('online');
    expect((await admin.post('/api/wireless/actions/reconnect', { sta_id: id })).body.success).toBe(true);
    const found = (await admin.get('/api/wireless/interfaces/status')).body.data;
    expect(found.find((one: { id: string }) => one.id === id)).toMatchObject({ wpa_state: 'COMPLETED' });
  });

  it('POST /api/openvpn/config/{id}', async () => {
    await admin.post('/api/openvpn/config', { id: 'office', enable: '1', remote: ['vpn.example.net'], type: 'client' });
    const { body } = await admin.upload('/api/openvpn/config/office', 'ca.pem', Buffer.from('pem'), { option: 'ca' });
    expect(body.data.path).toMatch(/^\/.+ca\.pem$/);
    expect((await admin.put('/api/openvpn/config/office', { ca: body.data.path })).body.data.ca).toBe(body.data.path);
    const status = (await admin.get('/api/openvpn/status')).body.data[0];
    expect(status).toMatchObject({
      name: 'office',
      protocol: 'tun',
      server: 'vpn.example.net',
      rx: DIGITS,
      tx: DIGITS,
    });
    const config = await admin.post('/api/openvpn/office/actions/download');
    expect(config.bytes.toString()).toContain('client');
    const made = await admin.post('/api/openvpn/office/clients/config', { common_name: 'pump' });
    expect(made.body.data).toMatchObject({ common_name: 'pump' });
    expect(told(await admin.upload('/api/openvpn/config/nowhere', 'ca.pem', Buffer.from('pem')))).toEqual([404, 113]);
  });

  it.each([
    ['POST /api/openvpn/{id}/clients/config', '/api/openvpn', { id: 'sub' }, 'clients', { common_name: 'pump' }],
    ['POST /api/zerotier/{id}/networks/config', '/api/zerotier', { name: 'f' }, 'networks', { network_id: '8056c2e2' }],
  ])('%s', async (_title, service, parent, part, data) => {
    const { id } = (await admin.post(`${service}/config`, parent)).body.data;
    const made = await admin.post(`${service}/${id}/${part}/config`, data);
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining(data)]);
    expect((await admin.get(`${service}/${id}/${part}/config`)).body.data).toHaveLength(1);
    expect((await admin.delete(`${service}/config/${id}`)).status).toBe(200);
    expect((await admin.get(`${service}/${id}/${part}/config`)).status).toBe(404);
  });

  it('what a section is called by the device', async () => {
    const vpn = await admin.post('/api/openvpn/config', { id: 'named' });
    expect(vpn.body.data.name).toBe('named');
    const zerotier = await admin.post('/api/zerotier/config', { name: 'again' });
    expect(zerotier.body.data.node_id).toMatch(/^[0-9a-z]{10}$/);
  });

  it('POST /api/recipients/email_users/config/{id}', async () => {
    const { id } = (await admin.post('/api/recipients/email_users/config', { name: 'post' })).body.data;
    const { body } = await admin.upload(`/api/recipients/email_users/config/${id}`, 'ca.pem', Buffer.from('pem'));
    expect(body.data.path).toMatch(/email_users.+ca\.pem$/);
  });

  it('POST /api/recipients/phone_groups/config/{id}', async () => {
    const { body } = await admin.post('/api/recipients/phone_groups/config', {
      name: 'night shift',
      tel: ['+37060000001'],
    });
    const one = `/api/recipients/phone_groups/config/${body.data.id}`;
    expect((await admin.upload(one, 'numbers.txt', Buffer.from('+37060000003'))).body.data.path).toMatch(
      /numbers\.txt$/,
    );
    expect((await admin.get(one)).body.data.name).toBe('night shift');
  });
});

describe('sections that clients write', () => {
  /** Title, data of a create, and what the answer holds beside it. */
  const SECTIONS: [title: string, data: Record<string, unknown>][] = [
    ['POST /api/interfaces/config', { name: 'guest', proto: 'static', ipaddr: '10.1.0.1', ifname: ['eth0'], stp: '0' }],
    ['POST /api/ip_routes/ipv4/config', { interface: 'lan', target: '10.2.0.0', netmask: '255.255.0.0', metric: '5' }],
    ['POST /api/ip_routes/ipv6/config', { interface: 'lan', target: 'fd00::/64', type: 'unicast' }],
    ['POST /api/dhcp/static_leases/ipv6/config', { name: 'pump', duid: '000300010200', hostid: '10' }],
    ['POST /api/wireless/multi_ap/config', { ssid: 'yard', key: 'a-long-key', priority: '1', enabled: '1' }],
    [
      'POST /api/auto_reboot/scheduler/config',
      { enable: '1', action: '1', days: ['mon'], time: ['03:00:00'], period: 'week' },
    ],
    [
      'POST /api/auto_reboot/ping_wget/config',
      { enable: '1', type: 'ping', action: '1', time: '5', host: ['192.0.2.1'] },
    ],
    ['POST /api/sms_utilities/rules/config', { action: 'reboot', smstext: 'again', authorization: 'no' }],
    ['POST /api/recipients/email_users/config', { name: 'mail', smtp_ip: '192.0.2.25', smtp_port: '25' }],
    ['POST /api/zerotier/config', { enabled: '1', name: 'fleet' }],
    ['POST /api/wireguard/config', { id: 'wgx', metric: '3', dns: ['192.0.2.53'], watchdog_interval: '30' }],
    [
      'POST /api/wireguard/wgx/peers/config',
      { public_key: `${'A'.repeat(43)}=`, description: 'office', force_tunlink: '0' },
    ],
    ['POST /api/wireless/interfaces/config', { mode: 'multi_ap', device: ['radio0', 'radio1'] }],
  ];

  it.each(SECTIONS)('%s', async (title, data) => {
    const base = title.slice('POST '.length);
    const { status, body } = await admin.post(base, data);
    expect([status, body.data]).toEqual([201, expect.objectContaining(data)]);
    const listed = (await admin.get(base)).body.data.map(({ id }: { id: string }) => id);
    expect(listed).toContain(body.data.id);
    if (data['id'] !== 'wgx') expect((await admin.delete(`${base}/${body.data.id}`)).status).toBe(200);
  });

  it.each([
    ['PUT /api/modems/2-1/global', { flight_mode: '0' }],
    ['PUT /api/gps/global', { galileo_sup: '0' }],
    ['PUT /api/gps/nmea/config/nmea_forwarding', { enabled: '1', hostname: 'nmea.example.net', port: '5000' }],
    ['PUT /api/gps/nmea/rules/config/GPRMC', { forwarding_enabled: '1', forwarding_interval: '10' }],
    ['PUT /api/date_time/ntp/client/config/ntpclient', { zoneName: 'Europe/Vilnius', sync_enabled: '1' }],
    ['PUT /api/system/led/config/leds', { enabled: '0' }],
    ['PUT /api/wireless/devices/global', { country: 'DE' }],
    ['PUT /api/dhcp/servers/ipv4/config/lan', { start_ip: '192.168.1.50', mode: 'relay' }],
    ['PUT /api/sim_cards/config/1', { volte: 'on', lte: ['lte_b20'] }],
  ])('%s', async (title, data) => {
    const path = title.slice('PUT '.length);
    expect((await admin.put(path, data)).body).toMatchObject({ success: true, data });
    expect((await admin.get(path)).body.data).toMatchObject(data);
  });

  it('a secret is never answered, and its mark may be written back', async () => {
    const { body } = await admin.post('/api/interfaces/config', {
      proto: 'pppoe',
      username: 'u',
      password: 'p-secret',
    });
    expect(body.data).toMatchObject({ username: 'u', 'password:set': '1' });
    expect(body.data).not.toHaveProperty('password');
    const again = await admin.put(`/api/interfaces/config/${body.data.id}`, body.data);
    expect(again.body.data).toEqual(body.data);
    // Deletes of interfaces answer no `data`, one by one and in a list.
    expect((await admin.delete('/api/interfaces/config', [body.data.id])).body).toEqual({ success: true });
  });

  it('one section may be changed without its id where there is one only', async () => {
    const { body } = await admin.put('/api/tailscale/config', [
      { auth_type: 'key', auth_key: 'tskey-1', enabled: '1' },
    ]);
    expect(body.data[0]).toMatchObject({ id: 'tailscale', 'auth_key:set': '1' });
    expect((await admin.get('/api/tailscale/status')).body.data[0]).toMatchObject({ status: 'Running', ip: [TEXT] });
  });

  it('what only the device sets is refused, unless it is repeated', async () => {
    const path = '/api/dhcp/servers/ipv4/config/lan';
    expect((await admin.put(path, { interface: 'lan' })).status).toBe(200);
    expect(told(await admin.put(path, { interface: 'wan' }))).toEqual([422, 103]);
  });

  it('a refused value is text', async () => {
    const { body } = await admin.post('/api/interfaces/config', { proto: ['static'], metric: 5, dns: [] });
    const values = body.errors.map(({ source, value }: { source: string; value: unknown }) => [source, value]);
    expect(values).toEqual([
      ['proto', '["static"]'],
      ['metric', '5'],
    ]);
  });

  it('ssh_enable of a user', async () => {
    const { body } = await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', ssh_enable: '1' });
    expect(body.data.ssh_enable).toBe('1');
    const changed = await admin.put(`/api/users/config/${body.data.id}`, { ssh_enable: '0' });
    expect(changed.body.data.ssh_enable).toBe('0');
    expect(told(await admin.put(`/api/users/config/${body.data.id}`, { ssh_enable: 'yes' }))).toEqual([422, 103]);
  });
});

describe('what follows from settings', () => {
  it('the order of the uplinks is that of their members, and is changed as a list', async () => {
    const members = [
      { id: 'mob1s2a1_member_mwan', metric: '1' },
      { id: 'wan_member_mwan', metric: '3' },
    ];
    expect((await admin.put('/api/failover/members/config', members)).status).toBe(200);
    const { data } = (await admin.get('/api/failover/status')).body;
    expect(Object.keys(data).slice(0, 3)).toEqual(['mob1s2a1', 'mob1s1a1', 'wan']);
  });

  it('POST /api/data_limit/actions/clear counts from zero again', async () => {
    const used = async () => (await admin.get('/api/data_limit/status')).body.data[0].data_used;
    const before = await used();
    expect(before).toBeGreaterThan(0);
    expect((await admin.post('/api/data_limit/actions/clear')).status).toBe(200);
    expect(await used()).toBeLessThan(before);
  });

  const wireless = async (id: string) =>
    (await admin.get('/api/wireless/interfaces/status')).body.data.find((one: { id: string }) => one.id === id);

  it('a radio that is off, its channel, and the encryption of a network', async () => {
    await admin.put('/api/wireless/devices/config/radio1', { enabled: '0' });
    const down = await wireless('default_radio1');
    expect(down).toMatchObject({ status: '0', up: false, clients: [], assoclist: [] });
    for (const name of ['bssid', 'phy', 'country', 'freq', 'disabled']) expect(down).not.toHaveProperty(name);
    await admin.put('/api/wireless/devices/config/radio1', { enabled: '1', channel: '44', country: 'PL' });
    await admin.put('/api/wireless/interfaces/config/default_radio1', { encryption: 'sae' });
    expect(await wireless('default_radio1')).toMatchObject({ channel: 44, freq: 5220, country: 'PL', status: '1' });
    expect((await wireless('default_radio1')).encryption).toContain('WPA3');
  });

  it('a receiver that is off finds no position', async () => {
    const fix = async (enabled: string) => {
      await admin.put('/api/gps/global', { enabled });
      return (await admin.get('/api/gps/position/status')).body.data.fix_status;
    };
    expect([await fix('0'), await fix('1')]).toEqual(['0', '1']);
  });

  it('another address of the LAN is that of its clients', async () => {
    await admin.put('/api/interfaces/config/lan', { ipaddr: '10.9.8.1' });
    const leases: { ipaddr: string }[] = (await admin.get('/api/dhcp/leases/ipv4/status')).body.data;
    expect(leases.filter(({ ipaddr }) => !ipaddr.startsWith('10.9.8.'))).toEqual([]);
    expect(new Set(leases.map(({ ipaddr }) => ipaddr)).size).toBe(leases.length);
  });

  it('a second LAN has no cable of the WAN', async () => {
    const data = { proto: 'static', ipaddr: '10.1.0.1', area_type: 'lan' };
    const { id } = (await admin.post('/api/interfaces/config', data)).body.data;
    const found = (await admin.get(`/api/interfaces/status/${id}`)).body.data;
    expect(found).toMatchObject({ up: true, ifname: 'eth0', rx_bytes: 0, area_type: 'lan' });
    await admin.delete(`/api/interfaces/config/${id}`);
  });

  it('a network to join is enabled or disabled, whichever of both is given', async () => {
    const path = '/api/wireless/multi_ap/config';
    const made = (await admin.post(path, { ssid: 'yard', disabled: '1' })).body.data;
    expect(made).toMatchObject({ enabled: '0', disabled: '1' });
    const changed = (await admin.put(`${path}/${made.id}`, { enabled: '1' })).body.data;
    expect(changed).toMatchObject({ enabled: '1', disabled: '0' });
  });

  it('a name of the device', async () => {
    await admin.put('/api/system/config/system', { devicename: 'depot-7' });
    expect((await admin.get('/api/system/device/status')).body.data.static.device_name).toBe('depot-7');
    const open = await admin.get('/api/unauthorized/status', { token: null });
    expect(open.body.data.device_name).toBe('depot-7');
  });

  it('one list of time servers at both of its paths', async () => {
    await admin.post('/api/ntp/servers/config', { hostname: 'time.example.net' });
    const [one, other] = await Promise.all(
      ['ntp/servers', 'date_time/ntp/time_servers'].map((path) => admin.get(`/api/${path}/config`)),
    );
    expect(other!.body.data).toEqual(one!.body.data);
  });
});

describe('profiles', () => {
  it('POST /api/profiles/actions/apply', async () => {
    const caller = await fleets.caller({ profile: 'rutos' });
    await caller.post('/api/profiles/config', { id: 'night', name: 'night' });
    expect(told(await caller.post('/api/profiles/actions/apply', { id: 'nowhere' }))).toEqual([404, 113]);
    expect((await caller.post('/api/profiles/actions/apply', { id: 'night' })).status).toBe(200);
    // Another profile ends all sessions.
    expect(told(await caller.get('/api/profiles/config'))).toEqual([401, 123]);
    await caller.login();
    const profiles: { id: string; active: string }[] = (await caller.get('/api/profiles/config')).body.data;
    expect(profiles.map(({ id, active }) => [id, active])).toEqual([
      ['default', '0'],
      ['night', '1'],
    ]);
  });
});

describe('defaults of the user', () => {
  it('POST /api/backup/actions/reset_settings', async () => {
    const caller = await fleets.caller({ profile: 'rutos' });
    const { device } = caller;
    await caller.post('/api/wireguard/config', { id: 'stays' });
    await caller.post('/api/backup/actions/create_default');
    expect((await caller.get('/api/backup/status')).body.data.default_exists).toBe('1');
    await caller.post('/api/wireguard/config', { id: 'goes' });
    const { body } = await caller.post('/api/backup/actions/reset_settings', { type: 'user' });
    expect(body.data).toEqual({ lan_ip: '127.0.0.1', lan_ipv6: '', ...all(DIGITS, 'http_port https_port') });
    await until(() => device.ledger.summary(0).effects['reboot'] && device.life === 'running', 'the device is back');
    await until(() => caller.login().catch(() => null), 'a login');
    expect((await caller.get('/api/wireguard/config')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      'stays',
    ]);
  });
});
