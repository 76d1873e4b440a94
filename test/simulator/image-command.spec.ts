import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_FIRMWARE,
  FAMILIES,
  FAMILY_NAMES,
  NEWEST_VENDOR_FIRMWARE,
  firmwareName,
} from '../../src/simulator/device/families.js';
import { ImageSink, judgeImage } from '../../src/simulator/device/firmware.js';
import { writeImage } from '../../src/simulator/image-command.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('simulator image', () => {
  it.each(FAMILY_NAMES)('writes an image that a %s flashes', (name) => {
    const file = path.join(folder, `${name}.bin`);
    writeImage(['--family', name, '--version', NEWEST_VENDOR_FIRMWARE, '--out', file, '--kb', '8']);
    const bytes = readFileSync(file);
    const sink = new ImageSink();
    for (let from = 0; from < bytes.length; from += 1000) sink.write(bytes.subarray(from, from + 1000));
    const judged = judgeImage(sink.header(), FAMILIES[name], firmwareName(FAMILIES[name], DEFAULT_FIRMWARE), {
      size: bytes.length,
      md5: '',
      sha256: '',
    });
    expect(judged).toMatchObject({ flashable: true, version: firmwareName(FAMILIES[name], NEWEST_VENDOR_FIRMWARE) });
    expect(bytes.length).toBe(8 * 1024);
  });
});
