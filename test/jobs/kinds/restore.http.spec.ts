import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { addressesOf } from '../../../src/jobs/kinds/restore/restore-result.js';
import { packBackup } from '../../../src/simulator/device/backup-archive.js';
import { type SimulatedDevice } from '../../../src/simulator/device/device.js';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { casesOf, sizeOf } from '../../support/forms.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';
import { addPerson } from '../../support/people.js';
import { until } from '../../support/until.js';

/** A device that never comes back is waited for 20 minutes: half a minute here. All rows run at once. */

const apply = PATHS.applyBackup;

/** A port that no device of the fleet has. */
const MOVED = 2_000;

interface Row {
  readonly title: string;
  readonly faults?: (device: SimulatedDevice) => readonly FaultInput[];
  readonly spec?: object;
  /** What is restored; absent: the configuration before it was changed. */
  readonly bytes?: (device: SimulatedDevice) => Promise<Buffer>;
  /** Whose backup it says that it is; absent: that of the device. */
  readonly of?: string;
  readonly password?: string;
  /** `outcome code` */
  readonly ends: string;
  readonly restored?: boolean;
  /** Whether not a byte of a backup may have been sent. */
  readonly unsent?: boolean;
}

const ALL: readonly Row[] = [
  { title: 'all is well', ends: 'succeeded', restored: true },
  {
    title: 'the answer to the restore is lost',
    faults: () => [{ kind: 'lost-answer', path: apply, count: 1 }],
    ends: 'succeeded',
    restored: true,
  },
  {
    title: 'the restore never arrives',
    faults: () => [{ kind: 'reset-before', path: apply, count: 1 }],
    ends: 'not_executed restore_not_begun',
  },
  { title: 'OK and nothing restored', faults: () => [{ kind: 'restore-nothing' }], ends: 'failed nothing_restored' },
  {
    title: 'it comes back where it announced itself',
    faults: ({ port }) => [{ kind: 'restore-moves', port: port + MOVED }],
    ends: 'succeeded',
    restored: true,
  },
  {
    title: 'it comes back elsewhere, and is not to be followed',
    faults: ({ port }) => [{ kind: 'restore-moves', port: port + MOVED }],
    spec: { follow: false },
    ends: 'unknown never_came_back',
    restored: true,
  },
  {
    title: 'it never comes back',
    faults: () => [{ kind: 'never-returns' }],
    ends: 'unknown never_came_back',
    restored: true,
  },
  {
    title: 'it comes back with another identity',
    faults: () => [{ kind: 'serial-changed', path: apply, count: 1 }],
    ends: 'unknown another_identity',
    restored: true,
  },
  {
    title: 'the restored configuration has other credentials',
    async bytes(device) {
      const { password } = device;
      device.setPassword('Of-an-older-time-1');
      const archive = await packBackup(device);
      device.setPassword(password);
      return archive;
    },
    ends: 'failed credentials_changed',
    restored: true,
  },
  {
    title: 'the backup of another device',
    of: '1100999999',
    ends: 'not_executed backup_of_another',
    unsent: true,
  },
  {
    title: 'the backup of another device, on purpose',
    of: '1100999999',
    spec: { allowOther: true },
    ends: 'succeeded',
    restored: true,
  },
  {
    title: 'a file that is no backup',
    bytes: () => Promise.resolve(Buffer.from('no archive at all')),
    ends: 'not_executed backup_refused',
  },
  {
    title: 'an encrypted backup, with its password',
    bytes: (device) => packBackup(device, 'Of-the-archive-1'),
    password: 'Of-the-archive-1',
    ends: 'succeeded',
    restored: true,
  },
  {
    title: 'an encrypted backup, without its password',
    bytes: (device) => packBackup(device, 'Of-the-archive-1'),
    ends: 'not_executed backup_refused',
  },
  {
    title: 'no room on the device (150)',
    faults: () => [{ kind: 'out-of-space', path: PATHS.uploadBackup }],
    ends: 'not_executed no_room_on_device',
  },
  {
    title: 'larger than the device takes (151)',
    faults: () => [{ kind: 'file-too-large', path: PATHS.uploadBackup }],
    ends: 'not_executed backup_too_large',
  },
  {
    title: 'the device lost the file in between',
    faults: () => [{ kind: 'error', status: 404, code: 113, path: apply, count: 1 }],
    ends: 'succeeded',
    restored: true,
  },
];

const MOVES = 'it comes back where it announced itself';
const succeeds = ({ ends }: Row) => ends === 'succeeded';

/** The short and the long form take some of each class, and the one whose device moves. */
const ROWS = [
  ...ALL.filter(({ title }) => title === MOVES),
  ...casesOf(
    ALL.filter((row) => succeeds(row) && row.title !== MOVES),
    2,
    4,
  ),
  ...casesOf(
    ALL.filter((row) => !succeeds(row)),
    3,
    6,
  ),
];

describe('a restore', () => {
  let world: KindWorld;
  const starts = new Map<Row, Promise<string>>();
  const jobOf = async (row: Row) => world.ended(await starts.get(row)!);
  const indexOf = (row: Row) => ROWS.indexOf(row);
  const addresses = new Map<Row, string>();

  beforeAll(async () => {
    world = await startKindWorld({ devices: ROWS.length + 2, family: 'RUTX50', profile: 'rutos' });
    for (const row of ROWS) {
      const index = indexOf(row);
      const device = world.fleet.devices[index]!;
      addresses.set(row, device.baseUrl);
      const spec = { artifactId: await backupOf(index, row), ...(await secretOf(row)), ...row.spec };
      for (const fault of row.faults?.(device) ?? []) device.faults.add(fault);
      const start = world.start(index, 'restore', spec);
      start.catch(() => undefined); // its own test says so, and no other fails with it
      starts.set(row, start);
    }
  });
  afterAll(() => world.close());

  const ntp = (device: SimulatedDevice) => ({ declaration: device.declarations.get('ntp')!, key: 'ntp' });
  const interval = (index: number) => {
    const device = world.fleet.devices[index]!;
    return device.configuration.record(ntp(device))['interval'];
  };

  /** A stored backup with the interval 1234; the device has another one afterwards. */
  async function backupOf(index: number, { bytes = packBackup, of }: Pick<Row, 'bytes' | 'of'>): Promise<string> {
    const device = world.fleet.devices[index]!;
    device.configuration.updateRecord(ntp(device), { interval: '1234' });
    const content = await bytes(device);
    device.configuration.updateRecord(ntp(device), { interval: '4321' });
    const name = `backup-${of ?? device.serial}-20261120T120000Z.tar.gz`;
    return (await world.keep(content, { kind: 'backup', name, deviceId: world.ids[index]! })).id;
  }

  async function secretOf({ password }: Row): Promise<object> {
    if (password === undefined) return {};
    const value = { label: 'password of a backup', value: password };
    return { sealedPassword: (await world.gateway.api.post<{ id: string }>('/v1/sealed-values', value)).id };
  }

  it.each(ROWS.map((row) => [row.title, row.ends, row] as const))('%s: %s', async (_title, _ends, row) => {
    const job = await jobOf(row);
    const index = indexOf(row);
    const { effects } = world.fleet.ledger.summary(index);
    expect([job.outcome, job.failure?.code].filter(Boolean).join(' ')).toBe(row.ends);
    expect(effects['restore'] ?? 0).toBe(row.restored ? 1 : 0);
    if (job.outcome === 'succeeded') expect(interval(index)).toBe('1234');
    if (!row.restored) expect(interval(index)).toBe('4321');
    const uploads = world.fleet.ledger.entries({ device: index, path: PATHS.uploadBackup }).length;
    if (row.unsent) expect(uploads).toBe(0);
  });

  it('registers a device where it announced itself, with its credentials, and writes that down', async () => {
    const row = ROWS.find(({ title }) => title === MOVES)!;
    const index = indexOf(row);
    const id = world.ids[index]!;
    const job = await jobOf(row);
    const { baseUrl } = world.fleet.devices[index]!;
    expect(baseUrl).not.toBe(addresses.get(row));
    expect(job).toMatchObject({ result: { moved: true, address: baseUrl } });
    expect(await world.gateway.api.get(`/v1/devices/${id}`)).toMatchObject({ baseUrl });
    const entries = await world.db.query<{ facts: object }[]>(
      `select facts from audit_entry where action = 'device.move' and device_id = $1`,
      [id],
    );
    expect(entries).toMatchObject([{ facts: { from: addresses.get(row), to: baseUrl } }]);
    expect(await world.ended(await world.start(index, 'backup'))).toMatchObject({ outcome: 'succeeded' });
  });

  it('gives each way to end words of its own', async () => {
    const ends = await Promise.all(ROWS.map(jobOf));
    const words = new Map(ends.flatMap(({ failure }) => (failure ? [[failure.code, failure.message] as const] : [])));
    expect(new Set(words.values()).size).toBe(words.size);
    expect(words.size).toBeGreaterThanOrEqual(sizeOf({ short: 2, long: 3, nightly: 8 }));
  });

  it('is cancelled before it is sent, and not after', async () => {
    const index = ROWS.length;
    const artifactId = await backupOf(index, {});
    const device = world.fleet.devices[index]!;
    device.faults.add({ kind: 'hang', path: PATHS.uploadBackup, count: 1 });
    const early = await world.start(index, 'restore', { artifactId });
    await expect(world.gateway.api.post(`/v1/jobs/${early}/cancel`)).resolves.toMatchObject({});
    expect(await world.ended(early)).toMatchObject({ outcome: 'cancelled' });
    device.faults.clear();

    const late = await world.start(index, 'restore', { artifactId });
    await until(() => world.fleet.ledger.entries({ device: index, path: apply }).length > 0);
    const cancel = world.gateway.api.post(`/v1/jobs/${late}/cancel`);
    await expect(cancel).rejects.toMatchObject({ code: 'job_not_cancellable' });
    expect(await world.ended(late)).toMatchObject({ outcome: 'succeeded' });
    expect(world.fleet.ledger.summary(index).effects['restore']).toBe(1);
  });

  it('wants a second factor that was shown a moment ago, as a change does that can cut the connection', async () => {
    const index = ROWS.length + 1;
    const artifactId = await backupOf(index, {});
    const { api } = await addPerson(world.gateway, 'restorer', [{ role: 'operator' }], {});
    const start = (kind: string, spec: object) => api.post(`/v1/devices/${world.ids[index]!}/jobs`, { kind, spec });
    await expect(start('restore', { artifactId })).rejects.toMatchObject({ code: 'step_up_required' });
    const changes = [{ action: 'update', path: '/api/interfaces/config/lan', data: { mtu: '1400' } }];
    await expect(start('configure', { changes, acceptRisk: true })).rejects.toMatchObject({ code: 'step_up_required' });
    await expect(start('configure', { changes, dryRun: true })).resolves.toMatchObject({ kind: 'configure' });
  });
});

describe('the places of a device that announced itself', () => {
  const said = { lanIpv4: '192.168.7.1', httpPort: 80, httpsPort: 8443 };

  it('are its host at the new port, and its own address', () => {
    expect(addressesOf('https://10.8.0.5', said)).toEqual([
      'https://10.8.0.5:8443',
      'https://192.168.7.1:8443',
      'https://192.168.7.1',
    ]);
  });

  it.each(['192.168.007.001', '192.168.7', '0xc0a80701', '192.168.7.1@other.example', '192.168.7.1/'])(
    'are without an own address that is none: %s',
    (lanIpv4) => {
      expect(addressesOf('https://10.8.0.5', { ...said, lanIpv4 })).toEqual(['https://10.8.0.5:8443']);
    },
  );

  it('are none when it stays where it is', () => {
    expect(addressesOf('https://192.168.7.1', { ...said, httpsPort: 443 })).toEqual([]);
    expect(addressesOf('https://192.168.7.1', { lanIpv4: null, httpPort: null, httpsPort: null })).toEqual([]);
  });
});
