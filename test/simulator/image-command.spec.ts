import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FAMILIES, FAMILY_NAMES, firmwareName } from '../../src/simulator/device/families.js';
import { ImageSink, judgeImage } from '../../src/simulator/device/firmware.js';
import { writeImage } from '../../src/simulator/image-command.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('simulator image', () => {
  it.each(FAMILY_NAMES)('writes an image that a %s flashes', (name) => {
    const file = path.join(folder, `${name}.bin`);
    writeImage(['--family', name, '--version', '07.17.9', '--out', file, '--kb', '8']);
    const bytes = readFileSync(file);
    const sink = new ImageSink();
    for (let from = 0; from < bytes.length; from += 1000) sink.write(bytes.subarray(from, from + 1000));
    const judged = judgeImage(sink.header(), FAMILIES[name], firmwareName(FAMILIES[name], '07.16.3'), {
      size: bytes.length,
      md5: '',
      sha256: '',
    });
    expect(judged).toMatchObject({ flashable: true, version: firmwareName(FAMILIES[name], '07.17.9') });
    expect(bytes.length).toBe(8 * 1024);
  });
});
