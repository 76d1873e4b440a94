import { type components } from '../../../../src/api-client/api-client.js';
import { type Difference, isOpenDifference, keyName } from './item-words.js';

/* Differences of many devices, the equal ones together. Pure. */

type Schemas = components['schemas'];

export type DeviceState = Schemas['DeviceTemplateState'];

export interface DriftGroup {
  readonly id: string;
  readonly difference: Difference;
  readonly devices: readonly DeviceState[];
  /** The earliest time from which one of them differs. */
  readonly since: string;
  /** How many further differences these devices have: they are put back, too. */
  readonly others: number;
}

/** One difference for all devices that have it, by the setting and both values; ids of sections differ between routers. */
const nameOf = ({ path, key, section, option, is, wanted, seen }: Difference): string =>
  JSON.stringify([path, keyName(key), Object.keys(key).length > 0 ? null : section, option, is, wanted, seen]);

/** Most devices first. @param isShown which differences are grouped */
export function driftGroups(
  rows: readonly DeviceState[],
  isShown: (difference: Difference) => boolean = isOpenDifference,
): readonly DriftGroup[] {
  const groups = new Map<string, { difference: Difference; devices: DeviceState[] }>();
  for (const row of rows)
    for (const difference of row.differences.filter(isShown)) {
      const id = nameOf(difference);
      const known = groups.get(id);
      if (known) known.devices.push(row);
      else groups.set(id, { difference, devices: [row] });
    }
  return [...groups]
    .map(([id, { difference, devices }]) => ({
      id,
      difference,
      devices,
      since: devices.reduce((first, { since }) => (since < first ? since : first), devices[0]!.since),
      others: devices.reduce((sum, row) => sum + row.differences.filter(isShown).length - 1 + row.moreDifferences, 0),
    }))
    .toSorted((one, other) => other.devices.length - one.devices.length);
}
