import { Inject, Injectable } from '@nestjs/common';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { expectedSerial } from '../../devices/registry/identity-reason.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { DeviceLogin } from './device-login.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Verifies by its serial number that the device that granted a login is the registered one. Calls use the session of
 * that login, so none reaches another router that took over the address.
 *
 * No answer of a login or of an open endpoint contains the serial number, so it costs one more request: GET
 * `system/device/status`. A fleet that logs in by the thousand must not pay it at each login. A pinned key proves that
 * it is still the same device. So this process does not ask again for a serial number confirmed with a key, as long as
 * address, key and serial number stay the same. Without a pinned key (trust `ca` and `insecure`) each login asks. A
 * device without a serial number in the registry is never asked, and says so there.
 *
 * A mismatch is cached for a minute: each login costs the other device memory, and sends it a password.
 */

/** The most cached devices; beyond it the least recent logins are asked again. */
const MEMORY_SIZE = 50_000;

const MISMATCH_MS = 60_000;

/** Real ones have 10 characters; a hostile device may send any length. */
const MAX_SERIAL = 64;

/** Prefix of the reason of the state `offline`. The status sweep then ignores answers at this address. */
const OTHER_DEVICE = 'another device answers at this address';

/** A cached answer for a device, with the registry's data at that time. */
interface SerialAnswer {
  readonly expected: string;
  readonly serial: string;
  readonly atMs: number;
}

@Injectable()
export class DeviceIdentity {
  private readonly answered = boundedCache<string, SerialAnswer>(MEMORY_SIZE);

  constructor(
    @Inject(DeviceLogin) private readonly login: Pick<DeviceLogin, 'serial'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'storeObservations'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Call it before a password is sent. @throws AppError `identity_mismatch` when another device answered a moment ago
   */
  refuseKnownMismatch(device: Readonly<Device>): void {
    const known = this.known(device);
    if (known && known.serial !== expectedSerial(device) && this.clock.nowMs() - known.atMs < MISMATCH_MS) {
      throw mismatch(device, known.serial);
    }
  }

  /**
   * Asks the device that granted a login for its serial number, unless it is known. An account that may not read it
   * proves nothing, so its calls continue, and the device says so in the registry; jobs check the serial number on their own.
   * @throws AppError `identity_mismatch`; ExchangeError
   */
  async compare(device: Readonly<Device>, token: string): Promise<void> {
    if (expectedSerial(device) === null || this.isConfirmed(device)) return;
    try {
      await this.checkSerial(device, await this.login.serial(device, token));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'device_answer_invalid') throw error;
      if (!device.serialUnreadable) await this.devices.storeObservations(device.id, { serialUnreadable: true });
    }
  }

  /** Checks a serial number that the device reported. @throws AppError `identity_mismatch` */
  async checkSerial(device: Readonly<Device>, reported: string): Promise<void> {
    const expected = expectedSerial(device);
    if (expected === null) return;
    const serial = reported.slice(0, MAX_SERIAL);
    const isSame = reported === expected;
    this.answered.set(device.id, {
      expected: expectedOf(device),
      serial: isSame ? expected : serial,
      atMs: this.clock.nowMs(),
    });
    if (device.serialUnreadable) await this.devices.storeObservations(device.id, { serialUnreadable: false });
    if (isSame) return;
    const stateReason = `${OTHER_DEVICE}: serial number ${serial} in place of ${expected}`;
    await this.devices.storeObservations(device.id, { state: 'offline', stateReason });
    throw mismatch(device, serial);
  }

  /** Lets the next login ask again. */
  forget(deviceId: string): void {
    this.answered.delete(deviceId);
  }

  private isConfirmed(device: Readonly<Device>): boolean {
    const isPinned = device.trust === 'pin' && device.trustPin !== null;
    return isPinned && this.known(device)?.serial === expectedSerial(device);
  }

  private known(device: Readonly<Device>): SerialAnswer | null {
    const known = this.answered.get(device.id);
    return known?.expected === expectedOf(device) ? known : null;
  }
}

/**
 * Whether two records mean the same device with the same key. A value that one of them has not learned yet makes no
 * difference.
 */
export function isSameIdentity(one: Readonly<Device>, other: Readonly<Device>): boolean {
  if (one.trust !== other.trust || one.trustCa !== other.trustCa) return false;
  return isSameOrUnknown(one.serial, other.serial) && isSameOrUnknown(one.trustPin, other.trustPin);
}

/** Whether the device is offline in the registry because another one answers. */
export function isTakenOver({ state, stateReason }: Readonly<Device>): boolean {
  return state === 'offline' && stateReason?.startsWith(OTHER_DEVICE) === true;
}

const isSameOrUnknown = (one: string | null, other: string | null) => one === other || one === null || other === null;

function expectedOf(device: Readonly<Device>): string {
  const { trust, trustPin, trustCa } = device;
  return JSON.stringify([addressOf(device), trust, trustPin, trustCa, expectedSerial(device)]);
}

function mismatch(device: Readonly<Device>, serial: string): AppError {
  return new AppError('identity_mismatch', { expectedSerial: expectedSerial(device), serial });
}
