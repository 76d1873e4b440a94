import { EXCHANGE_BYTES, type Price, priceOf } from '../../monitoring/policy-price.js';

/*
 * What a watch costs a device. It reads in the session that a sample keeps open; without one its price has the logins. Pure.
 */

/** The part of a bulk request and of its answer around the body of a path. */
const ITEM_BYTES = 90;

/** The body of a path that no device of the model has shown. */
const BODY_BYTES = 800;

/** @param bodies bytes of each path on a model; null: it was not read there */
export function passBytes(bodies: readonly (number | null)[]): number {
  return Math.round(bodies.reduce<number>((sum, bytes) => sum + ITEM_BYTES + (bytes ?? BODY_BYTES), EXCHANGE_BYTES));
}

/** The price for one device. @param isSampled whether a sample keeps its session open, and has paid the login */
export function watchPriceOf(everySeconds: number, bytesPerPass: number, isSampled: boolean): Price {
  return priceOf(everySeconds, bytesPerPass, isSampled ? 0 : undefined);
}
