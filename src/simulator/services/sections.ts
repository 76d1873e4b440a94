/* The settings of a device as they are now, for the services that act on them or show them. */
import type { Section, ServiceAddress } from '../device/configuration.js';
import type { SimulatedDevice } from '../device/device.js';

/** A built-in service that has no parent. */
export const serviceOf = (device: SimulatedDevice, path: string): ServiceAddress => ({
  declaration: device.declarations.get(path)!,
  key: path,
});

export const sectionsOf = (device: SimulatedDevice, path: string): readonly Section[] =>
  device.configuration.list(serviceOf(device, path));

/** What a configuration says in text, or what a device has without it. */
export const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);
