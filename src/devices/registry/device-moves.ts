import { type Device } from './device.entity.js';

/**
 * Whether a person gave a device another address or serial number after something was made for it: it may be other
 * hardware now, of another owner. Pure.
 * @param madeAt when it was made
 */
export const isMovedSince = ({ movedAt }: Readonly<Pick<Device, 'movedAt'>>, madeAt: Date): boolean =>
  movedAt !== null && movedAt > madeAt;
