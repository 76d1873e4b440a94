/* Every error code of the contract, provoked by a request, with the HTTP status of each profile. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { pack } from 'tar-stream';
import { PROFILES, type Profile } from '../../src/device-api/contract.js';
import { casesOf } from '../support/forms.js';
import { Caller, Fleets, until, type Reply } from './caller.js';

const fleets = new Fleets();
afterEach(() => fleets.close());

/** A RUT241: no GPS, 24 MiB for a file, 40 MiB for all. */
const start = (profile: Profile): Promise<Caller> => fleets.caller({ profile, family: 'RUT241' });

async function archive(files: Record<string, string>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

/** After a restore whose `ntp/servers` cannot be read. */
async function damaged(admin: Caller): Promise<Caller> {
  const { device } = admin;
  const bytes = await archive({ 'etc/device.json': '{"model":"RUT241"}', 'etc/config/ntp/servers': 'config ntp' });
  await admin.upload('/api/backup/actions/upload', 'backup.tar.gz', bytes);
  await admin.post('/api/backup/actions/apply');
  await until(
    () =>
      device.ledger.summary(0).effects['restore'] &&
      device.life === 'running' &&
      device.clock.now() > device.resetsUntil,
    'the device is back',
  );
  return until(() => admin.login().catch(() => null), 'a login');
}

const NTP = '/api/ntp/servers/config';
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

/** What provokes each code, and the status in each profile. */
const PROVOKED: [title: string, status: Record<Profile, number>, provoke: (admin: Caller) => Promise<Reply>][] = [
  ['code 100', { spec: 405, rutos: 501 }, (admin) => admin.get('/api/gps/position/status')],
  ['code 101', { spec: 400, rutos: 400 }, (admin) => admin.post('/api/backup/actions')],
  ['code 102', { spec: 400, rutos: 400 }, (admin) => admin.post('/api/backup/actions/dance')],
  [
    'code 103',
    { spec: 422, rutos: 422 },
    (admin) => admin.post('/api/wireguard/config', { id: 'wg0', listen_port: 51820 }),
  ],
  ['code 104', { spec: 422, rutos: 422 }, async (admin) => (await damaged(admin)).get(NTP)],
  ['code 105', { spec: 422, rutos: 422 }, (admin) => admin.delete('/api/interfaces/config/lan')],
  [
    'code 106',
    { spec: 422, rutos: 422 },
    async (admin) => {
      for (const index of many(16)) await admin.post('/api/wireguard/config', { id: `wg${index}` });
      return admin.post('/api/wireguard/config', { id: 'wg16' });
    },
  ],
  ['code 107', { spec: 400, rutos: 400 }, (admin) => admin.post('/api/wireguard/config', ['wg0'])],
  ['code 108', { spec: 405, rutos: 405 }, (admin) => admin.post('/api/wireless/devices/config', { id: 'radio9' })],
  [
    'code 109',
    { spec: 422, rutos: 422 },
    async (admin) => {
      await admin.post('/api/wireguard/config', { id: 'wg0' });
      return admin.post('/api/wireguard/config', { id: 'wg0' });
    },
  ],
  ['code 110', { spec: 400, rutos: 422 }, (admin) => admin.post('/api/wireguard/config', { enabled: '1' })],
  ['code 111', { spec: 405, rutos: 405 }, (admin) => admin.delete('/api/wireless/devices/config/radio0')],
  ['code 112', { spec: 405, rutos: 405 }, (admin) => admin.delete('/api/wireguard/config')],
  ['code 113', { spec: 404, rutos: 404 }, (admin) => admin.get('/api/wireguard/config/nowhere')],
  ['code 114', { spec: 400, rutos: 400 }, (admin) => admin.post('/api/wireguard/config')],
  [
    'code 115',
    { spec: 422, rutos: 422 },
    async (admin) => {
      await admin.post('/api/wireguard/config', { id: 'wg0', enabled: '1' });
      return admin.post('/api/wireguard/config', { id: 'wg1', enabled: '1' });
    },
  ],
  ['code 116', { spec: 400, rutos: 400 }, (admin) => admin.get('/api/interfaces/config?colour=red')],
  ['code 117', { spec: 422, rutos: 422 }, async (admin) => (await damaged(admin)).post(NTP, { hostname: 'a.example' })],
  [
    'code 120',
    { spec: 403, rutos: 403 },
    async (admin) => {
      await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', group: 'user' });
      return (await new Caller(admin.device).login('eve', 'Secret-12')).post('/api/wireguard/config', { id: 'wg0' });
    },
  ],
  [
    'code 121',
    { spec: 401, rutos: 401 },
    (admin) =>
      admin.device.behaviour.profile === 'spec'
        ? admin.post('/api/login', { username: 'admin', password: 'wrong' })
        : admin.get('/api/system/device/status', { token: null }),
  ],
  ['code 122', { spec: 400, rutos: 400 }, (admin) => admin.send('POST', '/api/wireguard/config', { body: '{"data":' })],
  ['code 123', { spec: 401, rutos: 401 }, (admin) => admin.get('/api/system/device/status', { token: 'a b' })],
  [
    'code 124',
    { spec: 403, rutos: 403 },
    (admin) => {
      admin.device.accounts.find('admin')!.expired = true;
      return admin.get('/api/system/device/status');
    },
  ],
  [
    'code 125',
    { spec: 403, rutos: 403 },
    async (admin) => {
      const { profile } = admin.device.behaviour;
      return (await fleets.caller({ profile, mustChangePassword: true })).get('/api/system/device/status');
    },
  ],
  [
    'code 150',
    { spec: 422, rutos: 422 },
    async (admin) => {
      const large = Buffer.alloc(22 * 1024 * 1024);
      expect((await admin.upload('/api/certificates/root_ca/config', 'a.pem', large)).status).toBe(200);
      return admin.upload('/api/certificates/root_ca/config', 'b.pem', large);
    },
  ],
  [
    'code 151',
    { spec: 422, rutos: 422 },
    (admin) => admin.upload('/api/firmware/actions/upload_device_firmware', 'fw.bin', Buffer.alloc(25 * 1024 * 1024)),
  ],
];

/** Provoked by files of 22 MiB and more; the short form does so in one profile. */
const LARGE: readonly string[] = ['code 150', 'code 151'];
const LARGE_IN = casesOf(PROFILES, 1);

describe.each(PROFILES)('in the profile %s', (profile) => {
  it.each(PROVOKED.filter(([title]) => !LARGE.includes(title) || LARGE_IN.includes(profile)))(
    '%s is provoked by a request',
    async (title, status, provoke) => {
      const reply = await provoke(await start(profile));
      expect(reply.body).toMatchObject({ success: false, errors: [{ code: Number(title.slice('code '.length)) }] });
      expect(reply.status).toBe(status[profile]);
    },
  );

  it('a wrong password, an unknown endpoint, a wrong verb and a body too large are told as the profile does', async () => {
    const admin = await start(profile);
    const replies = [
      await admin.send('POST', '/api/login', { body: { username: 'admin', password: 'wrong' }, token: null }),
      await admin.get('/api/nowhere'),
      await admin.send('PATCH', '/api/wireguard/config'),
      await admin.send('POST', '/api/wireguard/config', { body: JSON.stringify({ data: 'x'.repeat(1024 * 1024) }) }),
    ];
    const told = replies.map(({ status, body }) => [status, body.errors[0].code]);
    expect(told).toEqual(
      profile === 'spec'
        ? [
            [401, 121],
            [400, 122],
            [405, 100],
            [413, 150],
          ]
        : [
            [401, 120],
            [404, 122],
            [501, 122],
            [413, 150],
          ],
    );
  });

  it('code 103 names every refused option with its section and value', async () => {
    const { body } = await (
      await start(profile)
    ).post('/api/wireguard/config', { id: 'wg0', listen_port: '0', colour: 'red', addresses: '10.0.0.1/24' });
    expect(body.errors).toEqual([
      { code: 103, error: expect.any(String), source: 'listen_port', section: 'wg0', value: '0' },
      { code: 103, error: expect.any(String), source: 'colour', section: 'wg0', value: 'red' },
      { code: 103, error: expect.any(String), source: 'addresses', section: 'wg0', value: '10.0.0.1/24' },
    ]);
  });
});
