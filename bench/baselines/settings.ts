import { type BareDevice } from '../bare-devices.js';

/** What each proxy beside the gateway is told; it answers at /v1/devices/name:{name}/api/ like the gateway. */
export interface BaselineSettings {
  readonly devices: readonly BareDevice[];
}

/** Bare devices look at no token. */
export const AUTHORIZATION = `Bearer ${'f'.repeat(32)}`;
