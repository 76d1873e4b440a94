import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startKindWorld, type KindWorld } from '../support/jobs/kind-world.js';
import { until } from '../support/until.js';

/* A real disk of 24 MB under DATA_DIR, filled to its last byte. To mount one needs root on Linux. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-disk-'));

function mountDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    rmdirSync(folder);
    return false;
  }
}

const describeOnDisk = mountDisk() ? describe : describe.skip;

describeOnDisk('a gateway whose disk is full (needs the right to mount one)', () => {
  let world: KindWorld;
  const filler = path.join(folder, 'filler');

  beforeAll(async () => {
    world = await startKindWorld({ devices: 1, family: 'RUTX50', profile: 'rutos' }, { DATA_DIR: folder });
  });
  afterEach(() => rm(filler, { force: true }));
  afterAll(async () => {
    await world.close();
    execFileSync('umount', [folder]);
    rmdirSync(folder);
  });

  async function fill(): Promise<void> {
    const file = await open(filler, 'w');
    try {
      for (let piece = 0; piece < 1_000; piece++) await file.write(Buffer.alloc(64 * 1024));
      throw new Error('The disk does not become full');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }
  const upload = async (bytes: number) => {
    const response = await fetch(`${world.gateway.url}/v1/artifacts?kind=firmware`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.gateway.keys.administrator}`,
        'content-type': 'application/octet-stream',
      },
      body: Buffer.alloc(bytes, 7),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const ready = async () => {
    const response = await fetch(`${world.gateway.url}/health/ready`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return { status: response.status, artifacts: checks['artifacts'] };
  };

  it('refuses an upload as such, leaves nothing of it, and takes it once there is room', async () => {
    await fill();
    const { status, body } = await upload(2_000_000);
    expect({ status, code: body['code'] }).toEqual({ status: 507, code: 'disk_full' });
    expect(await readdir(path.join(folder, 'artifacts', 'incoming'))).toEqual([]);
    await rm(filler);
    expect((await upload(2_000_000)).status).toBe(201);
  });

  it('is not ready, names the part, and is ready once there is room', async () => {
    // An answer counts for a second.
    await until(async () => (await ready()).status === 200);
    await fill();
    await until(async () => (await ready()).status === 503);
    expect((await ready()).artifacts).toBe('unavailable');
    await rm(filler);
    await until(async () => (await ready()).status === 200);
    expect((await ready()).artifacts).toBe('ok');
  });

  it('goes on with a job that met it, which says so while it waits', async () => {
    await fill();
    const jobId = await world.start(0, 'backup');
    await until(async () => (await world.get(jobId)).failure?.code === 'disk_full');
    await rm(filler);
    expect(await world.ended(jobId)).toMatchObject({ outcome: 'succeeded' });
  });
});
