import { shortVersion } from '../rollouts/pictures/firmware-rows.js';

/* What the fleet runs, by version: the families of firmware of one version are one row. */

export interface FirmwareCount {
  /** `07.25.3`. */
  readonly version: string;
  readonly devices: number;
  /** `RUTX`, `TRB1`. */
  readonly families: readonly string[];
  /** The names of the firmware, for a selector. */
  readonly names: readonly string[];
}

interface NamedCount {
  /** Null: the firmware was not read yet. */
  readonly value: string | null;
  readonly devices: number;
}

/** The newest version first. */
export function countsByVersion(counted: readonly NamedCount[]): readonly FirmwareCount[] {
  const values = counted.flatMap(({ value, devices }) => (value === null ? [] : [{ value, devices }]));
  const versions = [...new Set(values.map(({ value }) => shortVersion(value)))];
  return versions
    .map((version) => {
      const own = values.filter(({ value }) => shortVersion(value) === version);
      return {
        version,
        devices: own.reduce((sum, { devices }) => sum + devices, 0),
        families: own.flatMap(({ value }) => /^([^_]+)_R_/.exec(value)?.[1] ?? []),
        names: own.map(({ value }) => value),
      };
    })
    .toSorted((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true }));
}

/** The devices that run one of these. */
export const selectorOf = ({ names }: Pick<FirmwareCount, 'names'>): string =>
  names.map((name) => `firmware=${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`).join(' | ');
