import { describe, expect, it } from 'vitest';
import {
  backupStatus,
  bulkAnswer,
  certificateListing,
  configurationList,
  envelope,
  ERROR_CODES,
  failure,
  firmwareImage,
  loginAnswer,
  loginRequest,
  LOGIN_BODY,
  systemStatus,
  unversioned,
} from '../../src/device-api/contract.js';

describe('the code table', () => {
  it('holds 100 to 117, 120 to 125, 150 and 151', () => {
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
    expect(Object.keys(ERROR_CODES).map(Number)).toEqual([...range(100, 117), ...range(120, 125), 150, 151]);
  });

  it('keeps every status of the specification within 400 to 422', () => {
    for (const { status } of Object.values(ERROR_CODES)) {
      expect(status.spec).toBeGreaterThanOrEqual(400);
      expect(status.spec).toBeLessThanOrEqual(422);
    }
  });
});

describe('a login', () => {
  it.each(['spec', 'rutos'] as const)('is read in the form of %s', (profile) => {
    expect(loginRequest.parse(LOGIN_BODY[profile]('admin', 'secret'))).toMatchObject({
      username: 'admin',
      password: 'secret',
    });
  });

  it('answers with data.token first and the older place second', () => {
    const data = { username: 'admin', token: 'new', expires: 299 };
    expect(loginAnswer.parse({ success: true, data, ubus_rpc_session: 'old' })).toMatchObject({ token: 'new' });
    expect(loginAnswer.parse({ success: true, data: {}, ubus_rpc_session: 'old' })).toEqual(
      expect.objectContaining({ token: 'old', expires: 300 }),
    );
  });

  it('without a token in either place is no session', () => {
    expect(loginAnswer.safeParse({ success: true, data: { username: 'admin' } }).success).toBe(false);
    expect(loginAnswer.safeParse({ success: true, data: { token: '' } }).success).toBe(false);
  });
});

describe('the readers', () => {
  it('require of an error only its code, and take a numeric source', () => {
    expect(
      failure.parse({ success: false, errors: [{ code: 103, source: 7, value: 51 }, { code: 120 }] }).errors,
    ).toHaveLength(2);
    expect(failure.safeParse({ success: false, errors: [{ error: 'no code' }] }).success).toBe(false);
  });

  it('tell success and failure apart by the flag alone', () => {
    expect(envelope.safeParse({ success: true, data: null, extra: 1 }).success).toBe(true);
    expect(envelope.safeParse({ success: 'true', data: [] }).success).toBe(false);
  });

  it('take an empty list that was written as an empty map', () => {
    expect(configurationList.parse({})).toEqual([]);
    expect(configurationList.safeParse([{ '.type': 'interface' }]).success).toBe(false);
  });

  it('require of a system status nothing but the serial', () => {
    expect(systemStatus.safeParse({ mnfinfo: { serial: '1100' } }).success).toBe(true);
    expect(systemStatus.safeParse({ mnfinfo: { mac: '00:00' }, static: {} }).success).toBe(false);
  });

  it('read flags of a firmware image and of a backup as booleans', () => {
    expect(firmwareImage.parse({ valid: '0', hw_support: '1' })).toMatchObject({ valid: false, hw_support: true });
    expect(backupStatus.parse({ backup_exists: true }).backup_exists).toBe(true);
    expect(backupStatus.parse({ backup_exists: '1' }).backup_exists).toBe(true);
  });

  it('keep the order of bulk answers and what each item says', () => {
    const items = [
      { success: true, data: [] },
      { success: false, errors: [{ code: 113 }] },
    ];
    expect(bulkAnswer.parse({ success: true, data: items }).data).toMatchObject(items);
  });

  it('give an absent half of the certificate listing as an empty list', () => {
    expect(certificateListing.parse({ generated: [{ fullname: 'dh.pem' }] }).generating).toEqual([]);
  });
});

describe('a version prefix', () => {
  it.each([
    ['/api/v1/system/device/status', '/api/system/device/status'],
    ['/api/v1.9.2/bulk', '/api/bulk'],
    ['/api/vpn/config', '/api/vpn/config'],
    ['/api/v1', '/api/v1'],
    ['/api/v1/v2.0/bulk', '/api/bulk'],
  ])('of %s goes away', (path, plain) => {
    expect(unversioned(path)).toBe(plain);
  });
});
