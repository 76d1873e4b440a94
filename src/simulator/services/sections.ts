/* The settings of a device as they are now, for the services that act on them or show them. */
import type { Section, ServiceAddress } from '../device/configuration.js';
import type { SimulatedDevice } from '../device/device.js';
import { type SimulatedRequest, requireIn, ok } from '../device/exchange.js';
import { type Route, onGet } from '../http/route.js';

/** A built-in service that has no parent. */
export const serviceOf = (device: SimulatedDevice, path: string): ServiceAddress => ({
  declaration: device.declarations.get(path)!,
  key: path,
});

export const sectionsOf = (device: SimulatedDevice, path: string): readonly Section[] =>
  device.configuration.list(serviceOf(device, path));

/** The section that a path names. @throws Refused 113 */
export const sectionIn = (device: SimulatedDevice, path: string, { params }: SimulatedRequest): Section =>
  requireIn(sectionsOf(device, path), 'id', params['id'] ?? '');

/** The routes of a status that has an item for each section: all of them, and one. */
export const statusOf = (
  path: string,
  [all, one]: readonly [all: string, one: string],
  itemOf: (device: SimulatedDevice, section: Section, index: number) => object,
): readonly Route[] => {
  const items = (device: SimulatedDevice) => sectionsOf(device, path).map((section, at) => itemOf(device, section, at));
  return [
    onGet(`/api/${path}/status`, all, (device) => ok(items(device))),
    onGet(
      `/api/${path}/status/{id}`,
      one,
      (device, { params }) => {
        const sections = sectionsOf(device, path);
        const section = requireIn(sections, 'id', params['id'] ?? '');
        return ok(itemOf(device, section, sections.indexOf(section)));
      },
      { codes: [113] },
    ),
  ];
};

/** What a configuration says in text, or what a device has without it. */
export const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);
