import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { type Artifact } from '../../../src/artifacts/artifact.entity.js';
import {
  DEFAULT_FIRMWARE,
  FAMILIES,
  NEWEST_VENDOR_FIRMWARE,
  firmwareName,
} from '../../../src/simulator/device/families.js';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { casesOf, sizeOf } from '../../support/forms.js';
import { startKindWorld, type JobView, type KindWorld } from '../../support/jobs/kind-world.js';
import { until } from '../../support/until.js';

/** A device that never comes back is waited for 20 minutes: half a minute here. All rows run at once. */

const OLD = firmwareName(FAMILIES.RUTX50, DEFAULT_FIRMWARE);
const NEW = firmwareName(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);

/** How one upgrade is made difficult, and how it must end. */
interface Row {
  readonly title: string;
  readonly faults?: readonly FaultInput[];
  readonly spec?: object;
  /** Fields of the stored image. */
  readonly image?: Partial<Artifact>;
  /** Bytes of the image; absent: one for the devices of this test. */
  readonly bytes?: Buffer;
  /** After the job was accepted and before a worker may take it. */
  readonly spoil?: (world: KindWorld, image: Artifact, jobId: string) => Promise<unknown>;
  /** `outcome code` */
  readonly ends: string;
  /** Whether the ledger holds a flash. */
  readonly flashed?: boolean;
  /** Whether not a byte of an image may have been sent. */
  readonly unsent?: boolean;
}

const vendor = { source: 'vendor', artifactId: undefined };
const upgrade = PATHS.upgradeFirmware;

/** Answers that are none. */
const SPOILT_ANSWERS = [
  'html',
  'truncated-json',
  'missing-fields',
  'slow-drip',
  'huge-answer',
  'endless-answer',
  'reset-mid-answer',
] as const;

/** The gateway has met a device that is away. */
async function untilOffline({ db }: KindWorld, jobId: string): Promise<void> {
  await until(async () => {
    const [job] = await db.query<{ reason: string | null }[]>('select wait_reason as reason from job where id = $1', [
      jobId,
    ]);
    return job!.reason === 'device_offline';
  });
}

/** observed-devices.md 5: the failure modes that meet an upgrade. */
const FAULTS: readonly Row[] = [
  {
    title: 'connection refused for a while',
    spoil: (world, _image, jobId) => untilOffline(world, jobId),
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'TLS accepted and then closed',
    faults: [{ kind: 'tls-close', count: 4 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'reset in the middle of an answer',
    faults: [{ kind: 'reset-mid-answer', count: 2 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'the answer to the upgrade is lost after it took effect',
    faults: [{ kind: 'lost-answer', path: upgrade, count: 1 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'the upgrade never arrives',
    faults: [{ kind: 'reset-before', path: upgrade, count: 1 }],
    ends: 'not_executed upgrade_not_begun',
  },
  {
    title: 'the device crashes on the upgrade, with 500',
    faults: [{ kind: 'error', status: 500, path: upgrade, count: 1 }],
    ends: 'not_executed upgrade_not_begun',
  },
  {
    title: 'a dead token, several times',
    faults: [{ kind: 'dead-token', path: PATHS.systemStatus, count: 3 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'the address of the gateway is blocked',
    faults: [{ kind: 'blocked-address', path: PATHS.login, count: 1 }],
    ends: 'failed device_credentials_refused',
    unsent: true,
  },
  {
    title: 'the address of the gateway is blocked meanwhile',
    faults: [{ kind: 'blocked-address', path: upgrade, count: 1 }],
    ends: 'failed factory_settings',
    flashed: true,
  },
  {
    title: 'password expired (124)',
    faults: [{ kind: 'password-expired', path: PATHS.uploadFirmware }],
    ends: 'failed device_refused',
  },
  {
    title: 'first login wanted (125)',
    faults: [{ kind: 'first-login', path: PATHS.uploadFirmware }],
    ends: 'failed device_refused',
  },
  { title: 'a wrong image', faults: [{ kind: 'image-invalid' }], ends: 'not_executed image_invalid' },
  {
    title: 'an image of another family',
    faults: [{ kind: 'image-other-family' }],
    ends: 'not_executed image_wrong_model',
  },
  {
    title: 'not enough free space (150)',
    faults: [{ kind: 'out-of-space', path: PATHS.uploadFirmware }],
    ends: 'not_executed no_room_on_device',
  },
  {
    title: 'larger than the device takes (151)',
    faults: [{ kind: 'file-too-large', path: PATHS.uploadFirmware }],
    ends: 'not_executed image_too_large',
  },
  { title: 'OK and nothing flashed', faults: [{ kind: 'flash-nothing' }], ends: 'failed nothing_flashed' },
  { title: 'back with the old version', faults: [{ kind: 'flash-old-version' }], ends: 'failed came_back_old' },
  { title: 'never back', faults: [{ kind: 'never-returns' }], ends: 'unknown never_came_back', flashed: true },
  {
    title: 'back with factory settings',
    faults: [{ kind: 'flash-factory-settings' }],
    ends: 'failed factory_settings',
    flashed: true,
  },
  {
    title: 'the password changed by someone else meanwhile',
    faults: [{ kind: 'password-changed', path: upgrade, count: 1 }],
    ends: 'failed factory_settings',
    flashed: true,
  },
  {
    title: 'another certificate afterwards',
    faults: [{ kind: 'certificate-changed', path: upgrade, count: 1 }],
    ends: 'unknown another_certificate',
    flashed: true,
  },
  {
    title: 'another device afterwards',
    faults: [{ kind: 'serial-changed', path: upgrade, count: 1 }],
    ends: 'unknown another_device',
    flashed: true,
  },
  {
    title: 'another device from the beginning',
    faults: [{ kind: 'serial-changed', path: PATHS.login, count: 1 }],
    ends: 'not_executed identity_mismatch',
    unsent: true,
  },
  {
    title: 'the image is gone when it is to be flashed, once (3)',
    faults: [{ kind: 'error', status: 422, code: 3, path: upgrade, count: 1 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'the image is gone each time (3)',
    faults: [{ kind: 'error', status: 422, code: 3, path: upgrade }],
    ends: 'not_executed device_refused',
  },
  { title: 'fetched from the vendor', spec: vendor, ends: 'succeeded', flashed: true },
  {
    title: 'the download fails once',
    spec: vendor,
    faults: [{ kind: 'download-fails', percent: 40, count: 1 }],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'the download fails each time',
    spec: vendor,
    faults: [{ kind: 'download-fails', percent: 70 }],
    ends: 'not_executed download_failed',
  },
  {
    title: 'progress frozen',
    spec: vendor,
    faults: [{ kind: 'progress-frozen' }],
    ends: 'not_executed download_frozen',
  },
  {
    title: 'code 15 that comes and goes',
    spec: vendor,
    faults: [
      { kind: 'no-internet', path: PATHS.firmwareUpdates, count: 1 },
      { kind: 'no-internet', path: PATHS.fetchFirmware, count: 1 },
    ],
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'a version that the vendor does not offer',
    spec: { ...vendor, version: '7.99' },
    ends: 'not_executed version_not_offered',
  },
  {
    title: 'the events log busy',
    faults: [{ kind: 'events-log-busy', path: `${PATHS.eventsLog}*` }],
    ends: 'succeeded',
    flashed: true,
  },
  { title: 'ten times the latency', faults: [{ kind: 'latency', ms: 150 }], ends: 'succeeded', flashed: true },
  ...SPOILT_ANSWERS.map((kind): Row => ({
    title: `${kind} while it comes back`,
    // Read when it checks, before the upgrade, and then for the first time when it is back.
    faults: [{ kind, path: PATHS.usageStatus, skip: 2, count: 2, ...(kind === 'huge-answer' ? { bytes: 20e6 } : {}) }],
    ends: 'succeeded',
    flashed: true,
  })),
];

/** What is refused before a byte of an image is sent. */
const UNSENT: readonly Row[] = [
  {
    title: 'an image for other models',
    image: { models: ['RUT9*', 'TRB140'] },
    ends: 'not_executed image_wrong_model',
  },
  { title: 'an image for other hardware', image: { hardware: ['01*'] }, ends: 'not_executed image_wrong_hardware' },
  {
    title: 'a device that runs too old a version',
    image: { minimumVersion: '7.16.4' },
    ends: 'not_executed firmware_too_old',
  },
  { title: 'an older image', image: { version: '7.15' }, ends: 'not_executed image_is_older' },
  { title: 'an image without a signature', spec: { requireSignature: true }, ends: 'not_executed image_not_signed' },
  { title: 'no fresh backup', spec: { backup: 'required' }, ends: 'not_executed backup_missing' },
  { title: 'a weak signal', spec: { minimumSignalDbm: -20 }, ends: 'not_executed signal_too_weak' },
  {
    title: 'an image larger than the free space',
    spoil: ({ db }, { id }) => db.query('update artifact set bytes = 900000000 where id = $1', [id]),
    ends: 'not_executed no_room_on_device',
  },
  {
    title: 'a bit that flipped in the store',
    spoil: async ({ gateway }, { sha256 }) => {
      const file = path.join(gateway.dataDir, 'artifacts', sha256.slice(0, 2), sha256);
      await writeFile(file, makeFirmwareImage(FAMILIES.RUTX50, '07.17.9'));
    },
    ends: 'not_executed artifact_damaged',
  },
  {
    title: 'an image that was swapped after the approval',
    spoil: async (world, { id }) => {
      const other = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, '07.17.8'), { kind: 'firmware' });
      await world.db.query('update artifact set sha256 = $2, bytes = $3 where id = $1', [
        id,
        other.sha256,
        other.bytes,
      ]);
    },
    ends: 'not_executed artifact_changed',
  },
  {
    title: 'an image that vanished after the approval',
    spoil: ({ db }, { id }) => db.query('delete from artifact where id = $1', [id]),
    ends: 'not_executed artifact_not_found',
  },
];
const REFUSALS = UNSENT.map((row): Row => ({ ...row, unsent: true }));

/** What is judged by the flags of the device. */
const JUDGED: readonly Row[] = [
  {
    title: 'an older image that says so only to the device',
    bytes: makeFirmwareImage(FAMILIES.RUTX50, '07.14.1'),
    ends: 'not_executed image_is_older',
  },
  {
    title: 'an older image that is allowed',
    bytes: makeFirmwareImage(FAMILIES.RUTX50, '07.14.2'),
    spec: { allowDowngrade: true },
    ends: 'succeeded',
    flashed: true,
  },
  {
    title: 'an image without the signature of the vendor',
    bytes: makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE, 64 * 1024, false),
    ends: 'not_executed image_not_authorized',
  },
  {
    title: 'an image that holds another version than was said',
    image: { version: '7.99' },
    ends: 'not_executed image_other_version',
  },
  {
    title: 'an image for another family',
    bytes: makeFirmwareImage(FAMILIES.TRB140, NEWEST_VENDOR_FIRMWARE),
    ends: 'not_executed image_wrong_model',
  },
  {
    title: 'bytes that are no image',
    bytes: Buffer.alloc(50_000, 'not firmware'),
    ends: 'not_executed image_invalid',
  },
];

/** What an upgrade survives, and what it does not. The short form takes some of each class. */
const HARMLESS = FAULTS.filter(({ ends }) => ends === 'succeeded');
const HARMFUL = FAULTS.filter(({ ends }) => ends !== 'succeeded');

const ROWS = [
  ...casesOf(HARMLESS, 2, 3),
  ...casesOf(HARMFUL, 4, 6),
  ...casesOf(REFUSALS, 2, 3),
  ...casesOf(JUDGED, 2, 3),
];

/** Codes of failures that these rows have at least. */
const ENDS = sizeOf({ short: 6, long: 8, nightly: 26 });

describe('an upgrade of the firmware', () => {
  let world: KindWorld;
  const jobs = new Map<Row, Promise<JobView>>();
  const indexOf = (row: Row) => ROWS.indexOf(row);
  let next = ROWS.length;
  /** A device that no test has met, this one neither when it is tried again. */
  const untouched = () => next++;

  beforeAll(async () => {
    world = await startKindWorld({ devices: ROWS.length + 6, family: 'RUTX50', profile: 'rutos' });
    for (const row of ROWS)
      jobs.set(
        row,
        begin(row).then((id) => world.ended(id)),
      );
    // An error here is told by the test that waits for the job.
    for (const job of jobs.values()) job.catch(() => undefined);
  });
  afterAll(() => world.close());

  async function begin(row: Row): Promise<string> {
    const index = indexOf(row);
    const bytes = row.bytes ?? makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE, 64 * 1024 + index);
    const image = await world.keep(bytes, { kind: 'firmware', name: 'image.bin', ...row.image });
    const spec = { artifactId: image.id, backup: 'skip', ...row.spec };
    const device = world.fleet.devices[index]!;
    const hold = row.spoil && device.faults.add({ kind: 'refuse' });
    for (const fault of row.faults ?? []) device.faults.add(fault);
    const id = await world.start(index, 'firmware', spec);
    await row.spoil?.(world, image, id);
    if (hold !== undefined) device.faults.remove(hold);
    return id;
  }

  const requests = (index: number, at: string) => world.fleet.ledger.entries({ device: index, path: at }).length;

  it.each(ROWS.map((row) => [row.title, row.ends, row] as const))('%s: %s', async (_title, _ends, row) => {
    const job = await jobs.get(row)!;
    const index = indexOf(row);
    const { effects } = world.fleet.ledger.summary(index);
    expect([job.outcome, job.failure?.code].filter(Boolean).join(' ')).toBe(row.ends);
    expect(effects['flash'] ?? 0).toBe(row.flashed ? 1 : 0);
    if (job.outcome === 'succeeded') {
      expect(world.fleet.devices[index]!.firmware.version).toBe(job.result!['version']);
      expect(job.result).toMatchObject({ from: OLD, changed: true });
    } else {
      expect(job.failure!.message).not.toBe('');
    }
    if (row.unsent) expect(requests(index, PATHS.uploadFirmware)).toBe(0);
  });

  it('gives each way to end words of its own', async () => {
    const words = new Map<string, Set<string>>();
    for (const job of await Promise.all(jobs.values())) {
      if (job.failure) words.set(job.failure.code, (words.get(job.failure.code) ?? new Set()).add(job.failure.message));
    }
    const all = [...words.values()].flatMap((messages) => [...messages]);
    expect(words.size).toBeGreaterThanOrEqual(ENDS);
    expect(all.length).toBeGreaterThanOrEqual(words.size);
  });

  it('does nothing to a device that runs the version already', async () => {
    const index = untouched();
    const image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, DEFAULT_FIRMWARE), {
      kind: 'firmware',
      version: OLD,
    });
    const job = await world.ended(await world.start(index, 'firmware', { artifactId: image.id, backup: 'skip' }));
    expect(job).toMatchObject({ outcome: 'succeeded', result: { changed: false, version: OLD } });
    expect(requests(index, PATHS.uploadFirmware)).toBe(0);
  });

  it('is not started with another image than the approved one', async () => {
    const image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE), { kind: 'firmware' });
    const spec = { artifactId: image.id, sha256: '0'.repeat(64) };
    await expect(world.start(0, 'firmware', spec)).rejects.toMatchObject({ code: 'artifact_changed' });
    const backup = await world.keep(Buffer.from('a backup'), { kind: 'backup' });
    await expect(world.start(0, 'firmware', { artifactId: backup.id })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('takes a fresh backup for enough, cannot be cancelled past its return, and tells how far it is', async () => {
    const index = untouched();
    const id = await world.start(index, 'backup');
    expect(await world.ended(id)).toMatchObject({ outcome: 'succeeded' });
    const image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE, 70_000), {
      kind: 'firmware',
    });
    const jobId = await world.start(index, 'firmware', { artifactId: image.id });
    const seen: number[] = [];
    let refusedCancel: unknown = null;
    for (let job = await world.get(jobId); job.phase !== 'ended'; job = await world.get(jobId)) {
      seen.push(job.progress!.percent);
      if (requests(index, upgrade) > 0 && refusedCancel === null) {
        refusedCancel = await world.gateway.api.post(`/v1/jobs/${jobId}/cancel`).catch((error: unknown) => error);
      }
      await pause(200);
    }
    expect(await world.get(jobId)).toMatchObject({ outcome: 'succeeded', progress: { percent: 100 } });
    expect(refusedCancel).toMatchObject({ code: 'job_not_cancellable' });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(4);
    const { firmware } = await world.gateway.api.get<{ firmware: string }>(`/v1/devices/${world.ids[index]}`);
    expect(firmware).toBe(NEW);
  });
});
