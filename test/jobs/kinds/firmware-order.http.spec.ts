import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { type Artifact } from '../../../src/artifacts/artifact.entity.js';
import { FAMILIES, NEWEST_VENDOR_FIRMWARE } from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { startKindWorld, type JobView, type KindWorld } from '../../support/jobs/kind-world.js';

/* No image is flashed over a newer firmware, or where no version can be told, unless a person allowed it. */

interface Row {
  readonly title: string;
  /** What the device says that it runs. */
  readonly running: string;
  /** The version in the image, behind the family's own beginning of the name. */
  readonly holds: string;
  /** What people said of the image when they stored it. */
  readonly image?: Partial<Artifact>;
  /** Whether the device does not say if the image is newer: then the names of the versions tell it, or nothing does. */
  readonly isSilent?: boolean;
  readonly spec?: object;
  /** `outcome code` */
  readonly ends: string;
  /** Whether not a byte of the image may have been sent. */
  readonly unsent?: boolean;
}

const OLDER = 'not_executed image_is_older';
const UNKNOWN = 'not_executed firmware_order_unknown';
const TOO_OLD = 'not_executed firmware_too_old';

const ROWS: readonly Row[] = [
  { title: '0.9.1 over 1.0', running: '1.0', holds: '0.9.1', image: { version: '0.9.1' }, ends: OLDER, unsent: true },
  { title: '0.9.1 over 1.0, said by the image alone', running: '1.0', holds: '0.9.1', ends: OLDER },
  {
    title: '0.9.1 over 1.0, said by people alone',
    running: '1.0',
    holds: 'nightly',
    image: { version: 'v0.9.1' },
    ends: OLDER,
    unsent: true,
  },
  { title: '0.9.1 over 1.0, the device silent', running: '1.0', holds: '0.9.1', isSilent: true, ends: OLDER },
  {
    title: '0.9.1 over 1.0, allowed',
    running: '1.0',
    holds: '0.9.1',
    image: { version: '0.9.1' },
    spec: { allowDowngrade: true },
    ends: 'succeeded',
  },
  { title: '1.0 over 0.9.1', running: 'RUTX_R_00.0.9.1', holds: '1.0', isSilent: true, ends: 'succeeded' },
  { title: 'no version over one', running: '1.0', holds: 'nightly', isSilent: true, ends: UNKNOWN },
  { title: 'one over no version', running: 'nightly', holds: NEWEST_VENDOR_FIRMWARE, isSilent: true, ends: UNKNOWN },
  { title: 'a date over a version', running: '1.0', holds: '2025.09.19 7.17', isSilent: true, ends: UNKNOWN },
  {
    title: 'a version over a part left open',
    running: '7.16.x',
    holds: NEWEST_VENDOR_FIRMWARE,
    isSilent: true,
    ends: UNKNOWN,
  },
  { title: 'the same numbers, other words', running: '1.0', holds: '1.0_hotfix1', isSilent: true, ends: UNKNOWN },
  {
    title: 'people’s word alone, over no version',
    running: 'nightly',
    holds: 'snapshot',
    image: { version: '7.17.3' },
    isSilent: true,
    ends: 'not_executed image_other_version',
  },
  {
    title: 'a minimum over no version',
    running: 'nightly',
    holds: NEWEST_VENDOR_FIRMWARE,
    image: { minimumVersion: '7.14' },
    ends: TOO_OLD,
    unsent: true,
  },
  {
    title: 'a minimum over 0.9.1',
    running: '0.9.1',
    holds: NEWEST_VENDOR_FIRMWARE,
    image: { minimumVersion: '1.0' },
    ends: TOO_OLD,
    unsent: true,
  },
];

describe('an upgrade by the order of versions', () => {
  let world: KindWorld;
  const jobs: Promise<JobView>[] = [];

  beforeAll(async () => {
    world = await startKindWorld({ devices: ROWS.length, family: 'RUTX50', profile: 'rutos' });
    for (const [index, row] of ROWS.entries()) jobs.push(run(index, row));
    // An error here is told by the test that waits for the job.
    for (const job of jobs) job.catch(() => undefined);
  });
  afterAll(() => world.close());

  async function run(index: number, { running, holds, image, isSilent, spec }: Row): Promise<JobView> {
    const device = world.fleet.devices[index]!;
    device.firmware.version = running;
    if (isSilent) device.faults.add({ kind: 'missing-fields', path: PATHS.uploadFirmware, fields: ['newer'] });
    const bytes = makeFirmwareImage(FAMILIES.RUTX50, holds, 64 * 1024 + index);
    const stored = await world.keep(bytes, { kind: 'firmware', name: 'image.bin', ...image });
    return world.ended(await world.start(index, 'firmware', { artifactId: stored.id, backup: 'skip', ...spec }));
  }

  it.each(ROWS.map((row, index) => [row.title, row.ends, row, index] as const))(
    '%s: %s',
    async (_title, _ends, row, index) => {
      const { outcome, failure } = await jobs[index]!;
      expect([outcome, failure?.code].filter(Boolean).join(' ')).toBe(row.ends);
      const { effects } = world.fleet.ledger.summary(index);
      expect(effects['flash'] ?? 0).toBe(outcome === 'succeeded' ? 1 : 0);
      const sent = world.fleet.ledger.entries({ device: index, path: PATHS.uploadFirmware });
      expect(sent.length > 0).toBe(!row.unsent);
    },
  );
});
