import { describe, expect, it } from 'vitest';
import { type Device } from '../../../src/devices/registry/device.entity.js';
import { AppError } from '../../../src/platform/errors.js';
import { UNKNOWN_ADDRESS } from '../../../src/http/caller-address.js';
import { FacadeStatus } from '../../../src/proxy/passthrough/facade-status.js';
import { type OwnStatus } from '../../../src/proxy/sessions/device-login.js';
import { FakeClock } from '../../support/fake-clock.js';

/* How often callers without a key make the gateway ask a device, and which of them learn of it. */

const DEVICE = { id: 'd', state: 'offline', model: null, apiVersion: null } as unknown as Device;
const OWN: OwnStatus = { model: 'RUTX50', apiVersion: '1.9' };

function faced() {
  const clock = new FakeClock();
  const asked: { resolve: (own: OwnStatus) => void; reject: (error: Error) => void }[] = [];
  const lock = { isLocked: false };
  const refuseDevice = () => {
    if (lock.isLocked) throw new AppError('locked');
  };
  const parts = [
    { get: () => Promise.resolve({ device: DEVICE }) },
    { requireStatus: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) },
    { describe: () => ({ failures: 0 }) },
    { onWrite: () => undefined },
    { refuseDevice },
    clock,
    { FACADE_STATUS: 'gateway' },
  ] as unknown as ConstructorParameters<typeof FacadeStatus>;
  return { status: new FacadeStatus(...parts), clock, asked, lock };
}

describe('a device that may be away', () => {
  it('is asked once while it does not answer, and once more a quarter of a second after its answer', async () => {
    const { status, clock, asked } = faced();
    const first = status.requirePresent(DEVICE);
    clock.pass(9_000);
    const second = status.requirePresent(DEVICE);
    expect(asked).toHaveLength(1);
    asked[0]!.resolve(OWN);
    expect(await Promise.all([first, second])).toEqual([OWN, OWN]);
    clock.pass(249);
    expect(await status.requirePresent(DEVICE)).toEqual(OWN);
    clock.pass(1);
    void status.requirePresent(DEVICE);
    expect(asked).toHaveLength(2);
  });

  it('is asked again a quarter of a second after an error, too', async () => {
    const { status, clock, asked } = faced();
    const first = status.requirePresent(DEVICE);
    clock.pass(9_000);
    asked[0]!.reject(new AppError('device_timeout'));
    await expect(first).rejects.toMatchObject({ code: 'device_timeout' });
    await expect(status.requirePresent(DEVICE)).rejects.toMatchObject({ code: 'device_timeout' });
    clock.pass(250);
    void status.requirePresent(DEVICE);
    expect(asked).toHaveLength(2);
  });

  it('is not asked while it is locked, even when an answer is shared', async () => {
    const { status, asked, lock } = faced();
    const first = status.requirePresent(DEVICE);
    lock.isLocked = true;
    await expect(status.requirePresent(DEVICE)).rejects.toMatchObject({ code: 'locked' });
    asked[0]!.resolve(OWN);
    expect(await first).toEqual(OWN);
    expect(asked).toHaveLength(1);
  });
});

describe('a caller without a key', () => {
  const resolve = () => Promise.reject(new Error('not by its name'));

  it.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['2001:db8::7', '2001:db8::8', true],
    ['203.0.113.7', '203.0.113.8', false],
    [UNKNOWN_ADDRESS, UNKNOWN_ADDRESS, false],
    ['203.0.113.7', UNKNOWN_ADDRESS, false],
  ])('after a key was used from %s, and that asks from %s, learns of the device: %s', async (used, asks, learns) => {
    const { status } = faced();
    status.noteUse('name:r', used, 'd');
    expect((await status.deviceOf('name:r', asks, resolve)) !== null).toBe(learns);
  });
});
