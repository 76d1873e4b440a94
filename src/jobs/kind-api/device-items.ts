import { z } from 'zod';
import { devicePath } from '../../proxy/connections/device-path.js';
import { AppError } from '../../platform/errors.js';
import { type Options } from './intended-items.js';
import { type StepContext } from './step-context.js';

/* Reads of configuration items and endpoints that a device may not have. */

/** A configuration item; null when there is none. */
export async function readItem(path: string, { call }: StepContext): Promise<Options | null> {
  const item = await call({ method: 'GET', path }, z.union([z.looseObject({}), z.tuple([])])).catch(nullWhenGone);
  return Array.isArray(item) ? {} : item; // observed-devices.md 3: an empty map is written as a list
}

/** A device answers 404 for a missing item (observed-devices.md 3). */
export function nullWhenGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'device_refused' && error.facts['deviceStatus'] === 404) return null;
  throw error;
}

/** A device without the endpoint refuses the call; with 501 where its model lacks the hardware (observed-devices.md 4). */
export function nullWhenRefused(error: unknown): null {
  if (error instanceof AppError && error.code === 'device_refused') {
    const status = Number(error.facts['deviceStatus']);
    if (status < 500 || status === 501) return null;
  }
  throw error;
}

/** A path as rights compare it. */
export function authPathOf(path: string): string {
  const verdict = devicePath(path);
  return verdict.ok ? verdict.path.authPath : path;
}
