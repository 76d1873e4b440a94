import { type Device } from './device.entity.js';

/* Where a device is: at its base URL, or at its spare address while it answers only there. Pure. */

type Addresses = Readonly<Pick<Device, 'baseUrl' | 'spareUrl' | 'bySpare'>>;

/** The address at which the device is called now: scheme, host and port. */
export const addressOf = ({ baseUrl, spareUrl, bySpare }: Addresses): string =>
  bySpare && spareUrl !== null ? spareUrl : baseUrl;

/** The device as if it were called at one of its two addresses. */
export const atAddress = <Known extends Addresses>(device: Known, which: 'base' | 'spare'): Known => ({
  ...device,
  bySpare: which === 'spare',
});

/** Whether a key that is pinned, or an authority, proves the device at another address before a password is sent there. */
export const isProvedElsewhere = ({ trust, trustPin }: Readonly<Pick<Device, 'trust' | 'trustPin'>>): boolean =>
  trust === 'ca' || (trust === 'pin' && trustPin !== null);

/**
 * Whether a person gave a device another address or serial number after something was made for it: it may be other
 * hardware now, of another owner.
 * @param madeAt when it was made
 */
export const isMovedSince = ({ movedAt }: Readonly<Pick<Device, 'movedAt'>>, madeAt: Date): boolean =>
  movedAt !== null && movedAt > madeAt;
