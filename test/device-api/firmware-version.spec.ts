import { describe, expect, it } from 'vitest';
import {
  ageOf,
  compareVersions,
  firmwareVersion,
  isSameVersion,
  shortVersion,
} from '../../src/device-api/firmware-version.js';

describe('the version in a name', () => {
  it.each<[string, string | null]>([
    ['7.14', '7.14'],
    ['7.14.0', '7.14'],
    ['RUTX_R_00.07.14.2', '7.14.2'],
    ['RUT9_R_00.07.06.20', '7.6.20'],
    ['7', '7'],
    ['v7', '7'],
    ['00.00', '0'],
    ['0.9.1', '0.9.1'],
    ['RUTX_0.9.1', '0.9.1'],
    ['0.0.1', '0.0.1'],
    ['00.0.9', '0.9'],
    ['000.07.1', '7.1'],
    ['2.2147483647', '2.2147483647'],
    // Something behind the version.
    ['RUTX_R_00.07.16.3_hotfix1', '7.16.3'],
    ['RUTX_R_00.07.16.3-rc2', '7.16.3'],
    ['RUTX_R_00.07.16.3-rc.2', '7.16.3'],
    ['RUTX_R_00.07.16.3 (build 2041)', '7.16.3'],
    ['RUTX_R_00.07.16.3+20250919', '7.16.3'],
    ['RUTX_R_00.07.16.3+20250919.1', '7.16.3'],
    ['RUTX_R_00.07.16.3_build20', '7.16.3'],
    ['RUTX_R_00.07.16.3_build_20', '7.16.3'],
    ['RUTX_R_00.07.16.3-1', '7.16.3'],
    ['RUTX_R_00.07.16.3b', '7.16.3'],
    ['RUTX_R_00.07.16.3 r2', '7.16.3'],
    ['OpenWrt 21.02.0 r16279-5cc0535800', '21.2'],
    ['OpenWrt 23.05.3, r23809-234f1a2efa', '23.5.3'],
    ['v7.16.3', '7.16.3'],
    ['Firmware V7.16.3 (kernel 5.10.176)', '7.16.3'],
    ['(7.16.3)', '7.16.3'],
    // No version can be told.
    ['none', null],
    ['', null],
    ['build 2041', null],
    ['hotfix1', null],
    ['r16279-5cc0535800', null],
    ['20250919-2', null],
    ['RUT955', null],
    ['RUT9.2', null],
    ['5.10.176 07.16.3', null],
    ['7.16.3 / 7.17.3', null],
    ['７.16.3', null],
    ['99999999999.1', null],
    ['7.99999999999', null],
    ['7.2147483648', null],
    ['20250919', null],
    ['2025.09.19', null],
    ['RUTX_2025.09', null],
    ['7.16.x', null],
    ['7.16.X_r', null],
    ['7.*', null],
    ['7.16.*', null],
    ['0x7.1', null],
    [`7.16.3${'x'.repeat(300)}`, null],
  ])('%j: %s', (name, version) => {
    expect(firmwareVersion(name)?.parts.join('.') ?? null).toBe(version);
  });

  it('is not looked for in a name of megabytes', () => {
    expect(firmwareVersion('1.'.repeat(1_000_000))).toBeNull();
  });
});

describe('the order of two versions', () => {
  it.each<[string, string, -1 | 0 | 1 | null]>([
    ['7.9', '7.10', -1],
    ['RUTX_R_00.07.16.3', '7.16', 1],
    ['7.16.0', '7.16', 0],
    ['RUTX_R_00.07.16.3_build20', 'RUTX_R_00.07.17.3', -1],
    ['RUTX_R_00.07.17.0', 'RUTX_R_00.07.16.3_hotfix1', 1],
    ['RUTX_R_00.07.16.3 (build 2041)', 'RUTX_R_00.07.17.1 (build 12)', -1],
    ['RUTX_R_00.07.16.3+20250919', 'RUTX_R_00.07.17.1', -1],
    ['7.16.3-rc2', '7.16.3', -1],
    ['7.16.3-rc2', '7.16.2', 1],
    ['7.16.3_beta', '7.16.3_hotfix1', -1],
    ['OpenWrt 21.02.0 r16279-5cc0535800', 'OpenWrt 19.07.0 r99999-5cc0535800', 1],
    ['0.9.1', '1.0', -1],
    ['0.9', '0.10', -1],
    ['7.16.3-device', '7.16.3', 0],
    ['7.16.3-previous', '7.16.3', 0],
    ['7.16.3-devel', '7.16.3', -1],
    ['7.16.3_testing', '7.16.3', -1],
    ['20250919', '7.16.3', null],
    ['no number', '7.1', null],
    ['build 3', 'build 2', null],
  ])('%s against %s: %s', (one, other, sign) => {
    const order = compareVersions(one, other);
    const back = compareVersions(other, one);
    expect(order === null ? null : Math.sign(order)).toBe(sign);
    expect(back === null ? null : Math.sign(back)).toBe(sign === null ? null : sign === 0 ? 0 : -sign);
  });

  it.each([
    ['7.16.3_a', '7.16.3_b'],
    ['7.16.3_hotfix1', '7.16.3'],
    ['7.16.3-rc1', '7.16.3-rc2'],
    ['stable', '7.16.3'],
    ['7.16.3', null],
  ])('cannot be told for the guard: %s and %s', (one, other) => {
    expect(ageOf(one, other)).toBeNull();
  });
});

it.each([
  ['RUTX_R_00.07.16.3', '7.16.3', true],
  ['RUTX_R_00.07.16.3', 'rutx_r_00.07.16.3', true],
  ['RUTX_R_00.07.16.3', 'RUT9_R_00.07.16.3', false],
  ['7.16', '7.16.0', true],
  ['v7.16', '7.16.0', true],
  ['7.16.3', '7.17.3', false],
  ['newest', 'stable', false],
  ['RUTX_R_00.07.16.3_hotfix1', '7.16.3', false],
  ['RUTX_R_00.07.16.3_hotfix1', '7.16.3_HOTFIX1', true],
  ['RUTX_R_00.07.16.3_hotfix1', 'RUTX_R_00.07.17.3_hotfix1', false],
  ['build 20', '20', false],
  ['RUTX_R_00.07.16.3', '16.3', false],
])('%s and %s are the same: %s', (one, other, isSame) => {
  expect(isSameVersion(one, other)).toBe(isSame);
  expect(isSameVersion(other, one)).toBe(isSame);
});

it.each([
  ['RUTX_R_00.07.16.3', '07.16.3'],
  ['RUT9M_R_GPL_00.07.16.3_hotfix1', '07.16.3_hotfix1'],
  ['1.2-own', '1.2-own'],
  ['RUTX_R_00.', 'RUTX_R_00.'],
  ['', ''],
])('%s is shown as %s', (name, shown) => {
  expect(shortVersion(name)).toBe(shown);
});
