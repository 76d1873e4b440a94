/* Devices by model and firmware, with what a rollout gives to each. */

export interface WantedFirmware {
  /** Null: the newest that the vendor has, or an image that is not known here. */
  readonly version: string | null;
  readonly isVendor: boolean;
}

export interface FirmwareRow {
  readonly model: string;
  readonly now: string;
  readonly gets: string;
  /** It has this version. */
  readonly isSame: boolean;
  readonly devices: number;
}

interface KnownDevice {
  readonly model?: string | null;
  readonly firmware?: string | null;
}

/** The largest group first. */
export function firmwareRows(devices: readonly KnownDevice[], wanted: WantedFirmware): readonly FirmwareRow[] {
  const counts = new Map<string, { one: KnownDevice; devices: number }>();
  for (const one of devices) {
    const key = JSON.stringify([one.model, one.firmware]);
    counts.set(key, { one, devices: (counts.get(key)?.devices ?? 0) + 1 });
  }
  return [...counts.values()]
    .map(({ one, devices: count }) => rowOf(one, count, wanted))
    .toSorted((a, b) => b.devices - a.devices || a.model.localeCompare(b.model));
}

function rowOf(
  { model = null, firmware = null }: KnownDevice,
  devices: number,
  { version, isVendor }: WantedFirmware,
): FirmwareRow {
  const now = firmware === null ? null : shortVersion(firmware);
  const wanted = version === null ? null : shortVersion(version);
  const isSame = wanted !== null && now !== null && trimmed(wanted) === trimmed(now);
  const gets = wanted ?? (isVendor ? 'the newest of the vendor' : 'the image');
  return {
    model: model ?? 'not known yet',
    now: now ?? 'not known yet',
    gets: isSame ? `${gets}, as it has` : gets,
    isSame,
    devices,
  };
}

/** `RUT9M_R_00.07.16.3` as `07.16.3`. */
export function shortVersion(firmware: string): string {
  return /_R_(?:GPL_)?00\.(\d[\w.]*)$/.exec(firmware)?.[1] ?? firmware;
}

/** Without the zeros that only one of two writings has. */
const trimmed = (version: string): string => version.replace(/^0+(?=\d)/, '');
