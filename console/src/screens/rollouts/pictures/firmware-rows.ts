import { shortVersion } from '../../../../../src/device-api/firmware-version.js';

/* The devices of a rollout by model and firmware, with what each gets. */

interface WantedFirmware {
  /** Null: the newest that the vendor has, or an image that is not known here. */
  readonly version: string | null;
  readonly isVendor: boolean;
}

/** A line of the plan. */
export interface FirmwareLine {
  readonly model: string | null;
  readonly firmware: string | null;
  readonly devices: number;
  /** What a device of the model was last offered. */
  readonly vendor: { readonly version: string; readonly at: string } | null;
}

export interface FirmwareRow {
  readonly model: string;
  readonly now: string;
  readonly gets: string;
  /** It has this version. */
  readonly isSame: boolean;
  /** When the vendor offered it; null: it does not come from there, or no device has asked. */
  readonly seenAt: string | null;
  readonly devices: number;
}

export const firmwareRows = (lines: readonly FirmwareLine[], wanted: WantedFirmware): readonly FirmwareRow[] =>
  lines.map((line) => rowOf(line, wanted));

function rowOf({ model, firmware, devices, vendor }: FirmwareLine, { version, isVendor }: WantedFirmware): FirmwareRow {
  const isSeen = isVendor && version === null && vendor !== null;
  const full = isSeen ? vendor.version : version;
  const now = firmware === null ? null : shortVersion(firmware);
  const wanted = full === null ? null : shortVersion(full);
  const isSame = wanted !== null && now !== null && trimmed(wanted) === trimmed(now);
  const gets = wanted ?? (isVendor ? 'the newest that the vendor offers; known when the job asks' : 'the image');
  return {
    model: model ?? 'not known yet',
    now: now ?? 'not known yet',
    gets: isSame ? `${gets}, as it has` : gets,
    isSame,
    seenAt: isSeen ? vendor.at : null,
    devices,
  };
}

/** Without the zeros that only one of two writings has. */
const trimmed = (version: string): string => version.replace(/^0+(?=\d)/, '');

interface Image {
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
}

type Spec = Readonly<Record<string, unknown>>;

/** What the parameters of a job install. @param images among which its image is */
export function wantedOf({ source, version, artifactId }: Spec, images: readonly Image[]): WantedFirmware {
  if (source === 'vendor') return { version: typeof version === 'string' ? version : null, isVendor: true };
  const image = images.find(({ id }) => id === artifactId);
  return { version: image?.version ?? image?.name ?? null, isVendor: false };
}

/** How many devices of the plan have what they would get. */
export const sameCount = (lines: readonly FirmwareLine[], wanted: WantedFirmware): number =>
  firmwareRows(lines, wanted).reduce((sum, { isSame, devices }) => sum + (isSame ? devices : 0), 0);
