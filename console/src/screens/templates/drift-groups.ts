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

type Sample = Schemas['TemplatePlan']['samples'][number];

export interface PlanGroup extends Pick<Sample, 'differences' | 'risks'> {
  readonly id: string;
  readonly devices: readonly { readonly deviceId: string; readonly device: string }[];
}

/** The devices of a plan for which it would do the same, most devices first. */
export function planGroups(samples: readonly Sample[]): readonly PlanGroup[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const id = JSON.stringify([sample.differences.map(nameOf), sample.changes, sample.risks]);
    groups.set(id, [...(groups.get(id) ?? []), sample]);
  }
  return [...groups]
    .map(([id, alike]) => ({
      id,
      differences: alike[0]!.differences,
      risks: alike[0]!.risks,
      devices: alike.map(({ deviceId, name }) => ({ deviceId, device: name })),
    }))
    .toSorted((one, other) => other.devices.length - one.devices.length);
}
