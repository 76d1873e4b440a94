import { describe, expect, it } from 'vitest';
import { firmwareImage } from '../../../src/device-api/contract.js';
import { compareVersions, isSameVersion, reportRefused } from '../../../src/jobs/kinds/firmware/firmware-image.js';

describe('versions of firmware', () => {
  it.each([
    ['RUTX_R_00.07.16.3', '7.16.3', true],
    ['RUTX_R_00.07.16.3', 'rutx_r_00.07.16.3', true],
    ['RUTX_R_00.07.16.3', 'RUT9_R_00.07.16.3', false],
    ['7.16', '7.16.0', true],
    ['7.16.3', '7.17.3', false],
    ['newest', 'stable', false],
  ])('%s and %s are the same: %s', (one, other, isSame) => {
    expect(isSameVersion(one, other)).toBe(isSame);
    expect(isSameVersion(other, one)).toBe(isSame);
  });

  it.each([
    ['7.9', '7.10', -1],
    ['RUTX_R_00.07.16.3', '7.16', 1],
    ['7.16.0', '7.16', 0],
    ['no number', '7', -1],
  ])('%s against %s: %i', (one, other, sign) => {
    expect(Math.sign(compareVersions(one, other))).toBe(sign);
    expect(Math.sign(compareVersions(other, one))).toBe(sign === 0 ? 0 : -sign);
  });
});

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
