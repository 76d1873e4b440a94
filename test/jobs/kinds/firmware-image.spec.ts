import { describe, expect, it } from 'vitest';
import { firmwareImage } from '../../../src/device-api/contract.js';
import { artifactRefused, reportRefused } from '../../../src/jobs/kinds/firmware/firmware-image.js';

describe('the judgement of a device of an image', () => {
  const allowed = { allowDowngrade: false, allowUnauthorized: false, requireSignature: false, keepSettings: true };
  const of = { stated: '7.17', sha256: 'ab'.repeat(32), running: 'RUTX_R_00.07.16.3' };
  const good = {
    valid: '1',
    hw_support: '1',
    authorized: '1',
    newer: '1',
    allow_backup: '1',
    sha256: 'AB'.repeat(32),
    fw_version: 'RUTX_R_00.07.17',
  };
  const judge = (flags: object, permitted: object = {}) =>
    reportRefused(firmwareImage.parse({ ...good, ...flags }), of, { ...allowed, ...permitted })?.code ?? null;

  it.each([
    [{}, null],
    [{ valid: '0' }, 'image_invalid'],
    [{ hw_support: '0' }, 'image_wrong_model'],
    [{ authorized: '0' }, 'image_not_authorized'],
    [{ allow_backup: '0' }, 'settings_not_kept'],
    [{ sha256: 'cd'.repeat(32) }, 'image_broken_on_the_way'],
    [{ fw_version: 'RUTX_R_00.07.18' }, 'image_other_version'],
    [{ fw_version: undefined, newer: '0' }, 'image_is_older'],
    // Numbers behind the version are not the version.
    [{ fw_version: 'RUTX_R_00.07.16.3_build20' }, 'image_other_version'],
    [{ fw_version: undefined, newer: undefined }, null], // the stated version is newer
    // Fields can vanish with any firmware: what is not said is not held against the image.
    [{ hw_support: undefined, authorized: undefined, allow_backup: undefined, sha256: undefined }, null],
  ])('%j: %s', (flags, code) => {
    expect(judge(flags)).toBe(code);
  });

  it('lets through what was allowed', () => {
    expect(judge({ authorized: '0' }, { allowUnauthorized: true })).toBeNull();
    expect(judge({ allow_backup: '0' }, { keepSettings: false })).toBeNull();
    expect(judge({ fw_version: undefined, newer: '0' }, { allowDowngrade: true })).toBeNull();
  });
});

describe('the order of an image and the running firmware', () => {
  const allowed = { allowDowngrade: false, allowUnauthorized: false, requireSignature: false, keepSettings: true };
  const judged = (fw_version: string | undefined, running: string | null, newer?: '0' | '1', permitted: object = {}) =>
    reportRefused(
      firmwareImage.parse({ valid: '1', fw_version, newer }),
      { stated: null, sha256: null, running },
      { ...allowed, ...permitted },
    )?.code ?? null;

  it.each<[string | undefined, string | null, '0' | '1' | undefined, string | null]>([
    ['RUTX_R_00.07.16.3_build20', 'RUTX_R_00.07.17.3', undefined, 'image_is_older'],
    ['RUTX_R_00.07.16.3_build20', 'RUTX_R_00.07.17.3', '1', 'image_is_older'],
    ['RUTX_R_00.07.16.3+20250919', 'RUTX_R_00.07.17.3', undefined, 'image_is_older'],
    ['RUTX_R_00.07.16.3-rc2', 'RUTX_R_00.07.16.3', undefined, 'image_is_older'],
    ['RUTX_R_00.07.17.1', 'RUTX_R_00.07.16.3_hotfix12', undefined, null],
    ['RUTX_R_00.07.17.1', 'RUTX_R_00.07.16.3 (build 2041)', undefined, null],
    ['OpenWrt 23.05.0 r1-aa', 'OpenWrt 21.02.0 r16279-5cc0535800', undefined, null],
    ['RUTX_R_00.07.16.3', 'RUTX_R_00.07.16.3', undefined, null],
    ['RUTX_R_00.07.16.3_hotfix1', 'RUTX_R_00.07.16.3', '1', null],
    ['RUTX_R_00.07.16.3_hotfix1', 'RUTX_R_00.07.16.3', '0', 'image_is_older'],
    ['RUTX_R_00.07.16.3_hotfix1', 'RUTX_R_00.07.16.3', undefined, 'firmware_order_unknown'],
    ['nightly', 'RUTX_R_00.07.16.3', undefined, 'firmware_order_unknown'],
    ['RUTX_R_00.07.17.1', null, undefined, 'firmware_order_unknown'],
    [undefined, 'RUTX_R_00.07.16.3', undefined, 'firmware_order_unknown'],
  ])('%s on %s, which the device calls newer: %s: %s', (image, running, newer, code) => {
    expect(judged(image, running, newer)).toBe(code);
    expect(judged(image, running, newer, { allowDowngrade: true })).toBeNull();
  });

  const stored = { id: 'a', models: [], hardware: [], minimumVersion: null, version: null, signedBy: null };
  const before = (image: object, version: string | null) =>
    artifactRefused(
      { ...stored, ...image } as unknown as Parameters<typeof artifactRefused>[0],
      { models: [], hardware: null, version },
      allowed,
    )?.code ?? null;

  it.each([
    [{ minimumVersion: '7.14' }, 'RUTX_R_00.07.16.3_hotfix1', null],
    [{ minimumVersion: '7.14' }, 'RUTX_R_00.07.13.3_build2041', 'firmware_too_old'],
    [{ minimumVersion: '7.14' }, 'RUTX_R_00.07.14-rc1', 'firmware_too_old'],
    [{ minimumVersion: '7.14' }, 'nightly 20250919', 'firmware_too_old'],
    [{ minimumVersion: '7.14' }, null, 'firmware_too_old'],
    [{ version: '7.16.3_build20' }, 'RUTX_R_00.07.17.3', 'image_is_older'],
    [{ version: '7.17.3_build2' }, 'RUTX_R_00.07.16.3_build20', null],
  ])('before a byte is sent, %j on %s: %s', (image, running, code) => {
    expect(before(image, running)).toBe(code);
  });
});
