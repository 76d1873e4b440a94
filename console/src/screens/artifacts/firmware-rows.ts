import { firmwareParts } from '../../api/device-texts.js';

/*
 * The firmware that is stored here or that the fleet runs, by version: for which devices it is, how many run it, and how many
 * older ones would get it.
 */

interface Image {
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly models: readonly string[];
}

export interface FirmwareRow<Of extends Image = Image> {
  readonly key: string;
  /** `07.25.3`; the name of a file whose version is not known. */
  readonly version: string;
  /** The version; with its families where another row has the same one. */
  readonly name: string;
  /** For which devices: the models of an image, or the families that run it. */
  readonly of: readonly string[];
  /** Null: not stored here. */
  readonly image: Of | null;
  readonly runs: number;
  readonly wouldGet: number;
  /** The names of the firmware that these devices run, for selectors. */
  readonly runNames: readonly string[];
  readonly olderNames: readonly string[];
  readonly isNewest: boolean;
}

interface Known {
  readonly name: string;
  readonly version: string;
  readonly family: string | null;
  readonly devices: number;
}

const isOlder = (one: string, than: string): boolean => one.localeCompare(than, 'en', { numeric: true }) < 0;

/** Each stored image, then each other version that devices run; the newest first. */
export function firmwareRows<Of extends Image>(
  counted: readonly NamedCount[],
  images: readonly Of[],
): readonly FirmwareRow<Of>[] {
  const known = counted.flatMap(({ value, devices }) =>
    value === null ? [] : [{ name: value, devices, ...firmwareParts(value) }],
  );
  const stored = images.map((image) => rowOfImage(image, known));
  const names = new Set(images.map(({ version }) => version));
  const others = known.filter(({ name }) => !names.has(name));
  const versions = [...new Set(others.map(({ version }) => version))];
  const run = versions.map((version) => ({
    key: version,
    image: null,
    ...fleetOf(
      version,
      others.filter((one) => one.version === version),
      known,
    ),
  }));
  const rows = [...stored, ...run].toSorted((one, other) =>
    other.version.localeCompare(one.version, 'en', { numeric: true }),
  );
  const newest = rows.find(({ runNames, olderNames }) => runNames.length + olderNames.length > 0)?.version;
  return rows.map(({ families, ...row }) => ({
    ...row,
    name: rows.filter(({ version }) => version === row.version).length > 1 ? named(row.version, families) : row.version,
    isNewest: row.version === newest,
  }));
}

const named = (version: string, families: readonly string[]): string =>
  families.length === 0 ? version : `${version} (${families.join(', ')})`;

function rowOfImage<Of extends Image>(image: Of, known: readonly Known[]) {
  const parts = image.version === null ? null : firmwareParts(image.version);
  const same = known.filter(({ name }) => name === image.version);
  const runs = fleetOf(parts?.version ?? image.name, same, known, { family: parts?.family ?? null });
  return { key: image.id, image, ...runs, of: image.models.length > 0 ? image.models : runs.of };
}

/**
 * What the fleet has of a version. An image is for one family. The vendor numbers the versions of all families alike, so a version
 * that is not stored is newer than each lower one: a plan of a rollout counts the same devices.
 */
function fleetOf(version: string, same: readonly Known[], known: readonly Known[], image?: { family: string | null }) {
  const families = new Set([...same.map(({ family }) => family), image?.family ?? null].filter((one) => one !== null));
  const isFor = ({ family }: Known) => family !== null && (families.has(family) || (!image && /^\d/.test(version)));
  const older = known.filter((one) => isFor(one) && isOlder(one.version, version));
  return {
    version,
    families: [...families],
    of: [...families],
    runs: sum(same),
    wouldGet: sum(older),
    runNames: same.map(({ name }) => name),
    olderNames: older.map(({ name }) => name),
  };
}

const sum = (of: readonly Known[]): number => of.reduce((all, { devices }) => all + devices, 0);

interface NamedCount {
  /** Null: the firmware was not read yet. */
  readonly value: string | null;
  readonly devices: number;
}

/** The devices that run one of these. */
export const selectorOf = (names: readonly string[]): string =>
  names.map((name) => `firmware=${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`).join(' | ');
