import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { DeviceLogin } from './device-login.js';

/*
 * Whether the device that granted a login is the one of the registry, by its serial number. Calls go out with the session
 * of that login, so none reaches another router that took over the address.
 *
 * No answer of a login or of an open endpoint holds the serial number, so it costs one more request: GET
 * `system/device/status`. A fleet that logs in by the thousand must not pay it at each login. The pinned key proves that
 * the device is still the same one, so a serial number that was confirmed with a key is not asked for again by this
 * process while address, key and serial number stay as they are. Where no key is pinned (trust `ca` and `insecure`) each
 * login asks. A device without a serial number in the registry is never asked.
 *
 * Another device is remembered for a minute: each login costs it memory, and each sends it a password.
 */

/** Devices remembered; above it those that logged in the longest ago are asked once more. */
const MEMORY_SIZE = 50_000;

const STRANGER_MS = 60_000;

/** Real ones have 10 characters; a hostile device sends any length. */
const MAX_SERIAL = 64;

/** How the reason of the state `offline` begins; the status sweep knows by it that an answer is no sign of the device. */
const STRANGER = 'another device answers at this address';

/** What was answered for a device, as the registry had it then. */
interface Answered {
  readonly expected: string;
  readonly serial: string;
  readonly atMs: number;
}

@Injectable()
export class DeviceIdentity {
  private readonly answered = new LRUCache<string, Answered>({ max: MEMORY_SIZE });

  constructor(
    @Inject(DeviceLogin) private readonly login: Pick<DeviceLogin, 'serial'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'learn'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Before a password is sent. @throws AppError `identity_mismatch` when another device answered a moment ago */
  refuseStranger(device: Readonly<Device>): void {
    const known = this.known(device);
    if (known && known.serial !== device.serial && this.clock.nowMs() - known.atMs < STRANGER_MS) {
      throw mismatch(device, known.serial);
    }
  }

  /**
   * Asks the device that granted a login for its serial number, where that is not known. An account that may not read it
   * proves nothing, so its calls go on; jobs ask by themselves.
   * @throws AppError `identity_mismatch`; ExchangeError
   */
  async compare(device: Readonly<Device>, token: string): Promise<void> {
    if (device.serial === null || this.isConfirmed(device)) return;
    try {
      await this.take(device, await this.login.serial(device, token));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'device_answer_invalid') throw error;
    }
  }

  /** Judges the serial number that a device has told. @throws AppError `identity_mismatch` */
  async take(device: Readonly<Device>, told: string): Promise<void> {
    if (device.serial === null) return;
    const serial = told.slice(0, MAX_SERIAL);
    const isSame = told === device.serial;
    this.answered.set(device.id, {
      expected: expectedOf(device),
      serial: isSame ? device.serial : serial,
      atMs: this.clock.nowMs(),
    });
    if (isSame) return;
    const stateReason = `${STRANGER}: serial number ${serial} in place of ${device.serial}`;
    await this.devices.learn(device.id, { state: 'offline', stateReason });
    throw mismatch(device, serial);
  }

  /** The next login asks again. */
  forget(deviceId: string): void {
    this.answered.delete(deviceId);
  }

  private isConfirmed(device: Readonly<Device>): boolean {
    const isPinned = device.trust === 'pin' && device.trustPin !== null;
    return isPinned && this.known(device)?.serial === device.serial;
  }

  private known(device: Readonly<Device>): Answered | null {
    const known = this.answered.get(device.id);
    return known?.expected === expectedOf(device) ? known : null;
  }
}

/** Whether two records mean the same device, known in the same way. What one of them has not learned yet makes no difference. */
export function isSameIdentity(one: Readonly<Device>, other: Readonly<Device>): boolean {
  if (one.trust !== other.trust || one.trustCa !== other.trustCa) return false;
  return isSameOrUnknown(one.serial, other.serial) && isSameOrUnknown(one.trustPin, other.trustPin);
}

/** Whether the registry has the device as offline because another one answers. */
export function isTakenOver({ state, stateReason }: Readonly<Device>): boolean {
  return state === 'offline' && stateReason?.startsWith(STRANGER) === true;
}

const isSameOrUnknown = (one: string | null, other: string | null) => one === other || one === null || other === null;

function expectedOf({ baseUrl, trust, trustPin, trustCa, serial }: Readonly<Device>): string {
  return JSON.stringify([baseUrl, trust, trustPin, trustCa, serial]);
}

function mismatch({ serial: expectedSerial }: Readonly<Device>, serial: string): AppError {
  return new AppError('identity_mismatch', { expectedSerial, serial });
}
