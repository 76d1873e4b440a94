import { createHash } from 'node:crypto';
import { AppError } from '../platform/errors.js';

/*
 * A bulk action names its devices by a selector and the digest of what the caller has seen. Where the selector names other
 * devices by then, nothing happens. Pure.
 */

/** The digest of a set of devices, in any order: SHA-256 of their sorted ids, in hex. */
export function selectionDigest(devices: readonly { readonly id: string }[]): string {
  const ids = devices.map(({ id }) => id).sort();
  return createHash('sha256').update(ids.join('\n')).digest('hex');
}

/**
 * @param devices all devices of the selector that the caller can see
 * @param expected the digest that the caller has seen; absent: the caller takes any devices
 * @throws AppError `selection_changed`
 */
export function requireSelection(devices: readonly { readonly id: string }[], expected: string | undefined): void {
  if (expected === undefined) return;
  const digest = selectionDigest(devices);
  if (digest !== expected) throw new AppError('selection_changed', { matched: devices.length, digest });
}
