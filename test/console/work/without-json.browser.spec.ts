import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { KIND_ACTS } from '../../../console/src/screens/jobs/kinds.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { expectNone } from '../../support/console/figures.js';
import { Keyboard } from '../../support/console/keyboard.js';

/* Jobs of every kind, a rollout and a schedule by the keyboard alone: the pages get keys only, and no JSON is typed. */

const SHA = 'a'.repeat(64);

let world: ConsoleWorld;
let db: pg.Client;
let keyboard: Keyboard;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
    name: 'pump-1',
    baseUrl: 'https://127.0.0.1:1',
    tags: ['pump'],
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  for (const [kind, name, deviceId] of [
    ['backup', 'pump-1.tar.gz', id],
    ['file', 'logo.png', null],
    ['firmware', 'RUTX.bin', null],
  ])
    // prettier-ignore
    await db.query(
      `insert into artifact (id, sha256, bytes, kind, name, device_id, created_by_name, created_at)
       values ($1, $2, 1, $3, $4, $5, 'Grace', now())`,
      [randomUUID(), SHA, kind, name, deviceId],
    );
});
afterAll(async () => {
  await db.end();
  await world.close();
});
afterEach(async () => {
  await keyboard.page.close();
  await db.query('delete from job');
});

async function at(path: string): Promise<Keyboard> {
  const page = await world.open(path);
  await page.locator('main h1').first().waitFor();
  keyboard = new Keyboard(page);
  return keyboard;
}

const artifactId = async (kind: string) =>
  (await db.query<{ id: string }>('select id from artifact where kind = $1', [kind])).rows[0]!.id;

/** A field by its label, and the keys for it. The first letters choose an option of a list; a blank ticks a box. */
type Steps = readonly (readonly [field: RegExp, keys: string])[];

async function fill(steps: Steps): Promise<void> {
  for (const [field, keys] of steps) {
    await keyboard.reach(field);
    if (keys === 'Enter') await keyboard.press('Enter');
    else await keyboard.type(keys);
  }
}

/** Seals a secret: the field is gone when the gateway has it. */
async function seal(label: RegExp, field: RegExp, some = 'Type'): Promise<void> {
  await fill([[label, some]]);
  await fill([[field, 'a secret of the test']]);
  await keyboard.press('Enter');
  await keyboard.page.getByText(/is sealed$/).waitFor();
  await keyboard.page.locator('input[type=password]').waitFor({ state: 'detached' });
}

const KINDS: readonly (readonly [kind: string, fill: () => Promise<void>, spec: () => Promise<object> | object])[] = [
  ['reboot', async () => {}, () => ({})],
  ['backup', () => seal(/^Encryption$/, /^The passphrase$/, 'With'), () => ({ sealedValue: expect.any(String) })],
  [
    'firmware',
    () =>
      fill([
        [/^More options$/, 'Enter'],
        [/^Weakest signal, dBm$/, 'any'],
        [/^Keep the settings/, ' '],
        [/^Allow an older version$/, ' '],
        [/^Do not require a backup$/, ' '],
      ]),
    () => ({ source: 'vendor', minimumSignalDbm: null, keepSettings: false, allowDowngrade: true, backup: 'skip' }),
  ],
  [
    'restore',
    async () => {
      await keyboard.reach(/^Backup$/);
      await keyboard.press('ArrowDown');
      await fill([[/^Type pump-1 to confirm$/, 'pump-1']]);
    },
    async () => ({ artifactId: await artifactId('backup'), sha256: SHA }),
  ],
  [
    'certificates',
    () =>
      fill([
        [/^What is made$/, 'A server'],
        [/^Name of the files$/, 'web'],
        [/^Common name$/, 'pump-1.example'],
        [/^Valid for days$/, '90'],
        [/^Length of the key/, '4096'],
        [/^Reissue when/, '30'],
        [/^Store the private keys/, ' '],
      ]),
    () => ({
      type: 'server',
      name: 'web',
      subject: 'pump-1.example',
      days: 90,
      keyBits: 4096,
      renewBeforeDays: 30,
      export: true,
    }),
  ],
  [
    'upload',
    async () => {
      await keyboard.reach(/^Stored file$/);
      await keyboard.press('ArrowDown');
      await fill([
        [/^Section$/, '/api/openvpn/config/office'],
        [/^Option$/, 'ca'],
        [/^Add a value$/, 'Enter'],
        [/^Name$/, 'position'],
        [/^Value$/, 'top'],
        [/^Goes to$/, '/api/certificates/root_ca/config'],
        [/^Name on the device$/, 'logo.png'],
      ]);
    },
    async () => ({
      artifactId: await artifactId('file'),
      sha256: SHA,
      path: '/api/certificates/root_ca/config',
      fileName: 'logo.png',
      into: { path: '/api/openvpn/config/office', option: 'ca' },
      fields: { position: 'top' },
    }),
  ],
  [
    'users',
    async () => {
      await fill([[/^User name$/, 'ops'], [/^Group$/, 'pumps']]); // prettier-ignore
      await seal(/^Password$/, /^The password$/);
      await fill([
        [/^Add a group$/, 'Enter'],
        [/^Name of the group$/, 'pumps'],
        [/^Add a path$/, 'Enter'],
        [/^Path, with/, '/api/system/*'],
        [/^May$/, 'Read and'],
      ]);
    },
    () => ({
      accounts: [expect.objectContaining({ username: 'ops', group: 'pumps', sealedValue: expect.any(String) })],
      groups: [expect.objectContaining({ id: 'pumps', api: { '/api/system/*': ['read', 'write'] } })],
    }),
  ],
  ['credentials', () => fill([[/^Account with which it signs in$/, 'The account']]), () => ({ account: 'read' })],
  [
    'call',
    () =>
      fill([
        [/^Method$/, 'PUT'],
        [/^Path$/, '/api/ntp/global'],
        [/^Add a value$/, 'Enter'],
        [/^Name$/, 'interval'],
        [/^Value$/, '7200'],
        [/^More options$/, 'Enter'],
        [/^Status$/, '200'],
      ]),
    () => ({ method: 'PUT', path: '/api/ntp/global', data: { interval: '7200' }, expect: { status: 200 } }),
  ],
  [
    'configure',
    () =>
      fill([
        [/^Type a section by hand$/, 'Enter'],
        [/^Section$/, '/api/ntp/global'],
        [/^Option$/, 'interval'],
        [/^New value$/, '7200'],
        [/^Only report/, ' '],
      ]),
    () => ({
      changes: [expect.objectContaining({ action: 'update', path: '/api/ntp/global', data: { interval: '7200' } })],
      dryRun: true,
    }),
  ],
];

const title = (kind: string) =>
  KIND_ACTS.flatMap(([, acts]): readonly (readonly [string, string])[] => acts).find(([known]) => known === kind)![1];

describe('by the keyboard alone', () => {
  it.each(KINDS)('a job of the kind %s is started on a device', async (kind, fillIn, spec) => {
    const { page } = await at('/devices/name:pump-1');
    await keyboard.use(/^Start a job$/);
    await page.getByRole('dialog').waitFor();
    await fill([[/^What to do$/, title(kind)]]);
    await fillIn();
    await keyboard.use(kind === 'reboot' ? /^Restart$/ : /^Start job$/);
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    const { rows } = await db.query('select kind, spec from job');
    expect(rows).toEqual([{ kind, spec: expect.objectContaining(await spec()) }]);
    expectNone('B4', 'stops that one cannot see, of a keyboard that starts a job of each kind', [...keyboard.hidden]);
  });

  it('a certificate of one device is issued again, by its row', async () => {
    const { id } = await world.gateway.api.get<{ id: string }>('/v1/devices/name:pump-1');
    // prettier-ignore
    await db.query(
      `insert into device_certificate (device_id, fullname, type, subject, issuer, not_before, not_after, fingerprint, seen_at, job_id)
       values ($1, 'web.cert.pem', 'server', 'pump-1', 'pump-1', now(), now() + interval '9 days', $2, now(), $3)`,
      [id, SHA, randomUUID()],
    );
    await db.query(
      `insert into device_certificate (device_id, fullname, type, subject, issuer, not_before, not_after, fingerprint, seen_at, job_id)
       select $1::uuid, 'far-' || n || '.cert.pem', 'server', 'pump-1', 'pump-1', now(), now() + interval '9 years', $2, now(), $3::uuid
         from generate_series(1, 6) n`,
      [id, SHA, randomUUID()],
    );
    const { page } = await at('/certificates?tab=expiring');
    const known = page.getByRole('region', { name: 'Certificates on devices' }).locator('tbody tr');
    await expect.poll(() => known.count()).toBe(7);
    await keyboard.use(/^Reissue web\.cert\.pem of pump-1$/);
    await page.getByRole('dialog').waitFor();
    await keyboard.reach(/^Valid for days$/);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('90');
    await keyboard.use(/^Reissue$/);
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    const { rows } = await db.query('select device_id, kind, spec from job');
    const spec = expect.objectContaining({ type: 'server', name: 'web', days: 90, replace: true });
    expect(rows).toEqual([{ device_id: id, kind: 'certificates', spec }]);
  });

  it('a rollout of the vendor’s firmware is created', async () => {
    const { page } = await at('/rollouts/new');
    await expect.poll(() => page.getByLabel('Firmware', { exact: true }).inputValue()).toBe('vendor');
    expect(await page.getByLabel('Weakest signal, dBm').isVisible()).toBe(false);
    await fill([
      [/^Edit as text$/, 'Enter'],
      [/^Selector$/, 'tag:pump'],
    ]);
    await page.getByText('1 device takes part').waitFor();
    await keyboard.use(/^Create a draft$/);
    await page.waitForURL(/\/rollouts\/[0-9a-f-]{36}$/);
    const { rows } = await db.query('select kind, spec from rollout');
    expect(rows).toEqual([{ kind: 'firmware', spec: { source: 'vendor' } }]);
  });

  it('a schedule that configures devices is added', async () => {
    const { page } = await at('/schedules');
    await keyboard.use(/^Add a schedule$/);
    await page.getByRole('dialog').waitFor();
    await fill([
      [/^Name of the schedule$/, 'time'],
      [/^What to do$/, 'Change settings'],
      [/^Edit as text$/, 'Enter'],
      [/^Selector$/, 'tag:pump'],
    ]);
    await page.getByText(/^Choose the devices first/).waitFor(); // none is known to be online
    await fill([
      [/^Type a section by hand$/, 'Enter'],
      [/^Section$/, '/api/ntp/global'],
      [/^Option$/, 'interval'],
      [/^New value$/, '7200'],
    ]);
    await page.getByRole('dialog').getByText('1 device').waitFor();
    await keyboard.use(/^Add schedule$/);
    await page
      .getByRole('table', { name: 'What runs by itself' })
      .getByRole('cell', { name: 'time', exact: true })
      .waitFor();
    const { items } = await world.gateway.api.get<{ items: { rollout: object }[] }>('/v1/schedules');
    const changes = [{ action: 'update', path: '/api/ntp/global', data: { interval: '7200' } }];
    expect(items[0]!.rollout).toMatchObject({ kind: 'configure', spec: { changes } });
  });
});

it('shows what the gateway refuses at its field, and what was typed there as JSON', async () => {
  const { page } = await at('/devices/name:pump-1');
  await page.getByRole('button', { name: 'Start a job' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What to do').selectOption('call');
  await dialog.getByLabel('Path').fill('/api/login');
  await dialog.getByRole('button', { name: 'Start job' }).click();
  const path = dialog.getByLabel('Path');
  await dialog.locator('[aria-invalid=true]').waitFor();
  await expect.poll(() => path.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => dialog.getByRole('alert').innerText()).not.toContain('spec.path');
  await dialog.getByRole('button', { name: 'Edit as JSON' }).click();
  const json = dialog.getByLabel('Parameters as JSON');
  expect(JSON.parse(await json.inputValue())).toEqual({ method: 'GET', path: '/api/login' });
  await json.fill('{"method": "GET", "path": "/api/system/device/status"}');
  await dialog.getByRole('button', { name: 'Edit in fields' }).click();
  await expect.poll(() => path.inputValue()).toBe('/api/system/device/status');
  await path.press('Enter');
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
});
