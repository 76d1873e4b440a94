/*
 * Five device families with the shapes of their real relatives: which radios, ports and services they have, how much memory,
 * how fast they answer. A family is data; what a device does with it is in the services.
 */
import { MODEMS, type ModemHardware } from './modem-hardware.js';
import type { Range } from './random.js';

export interface Family {
  /** What `static.model` and the label on the device say. */
  readonly model: string;
  readonly platform: string;
  /** Firmware of this family starts with it: `RUTX_R_00.07.16.3`. */
  readonly firmwarePrefix: string;
  readonly kernel: string;
  readonly system: string;
  readonly board: string;
  readonly hardwareVersion: string;
  readonly processors: number;
  readonly ramMiB: number;
  readonly flashMiB: number;
  /** Free space for uploads, in bytes. */
  readonly freeBytes: number;
  /** Largest file that an upload may have, in bytes. */
  readonly maxUploadBytes: number;
  readonly has: {
    readonly wifi: boolean;
    readonly gps: boolean;
    readonly modem: boolean;
    readonly fiveG: boolean;
    readonly dualSim: boolean;
    readonly bluetooth: boolean;
    readonly usb: boolean;
    readonly inputsOutputs: boolean;
  };
  readonly ethernetPorts: number;
  /** Time of one answer in milliseconds, by the class of processor and link (chosen). */
  readonly latencyMs: Range;
  readonly modem: ModemHardware;
}

const MIB = 1024 * 1024;
const none = {
  wifi: false,
  gps: false,
  modem: true,
  fiveG: false,
  dualSim: false,
  bluetooth: false,
  usb: false,
  inputsOutputs: true,
};

const family = (
  model: keyof typeof MODEMS,
  own: Omit<Family, 'model' | 'firmwarePrefix' | 'processors' | 'modem'> & { readonly processors?: number },
): Family => ({ model, firmwarePrefix: `${own.platform}_R_00.`, processors: 1, ...own, modem: MODEMS[model] });

export const FAMILIES = {
  RUTX50: family('RUTX50', {
    platform: 'RUTX',
    kernel: '5.10.210',
    system: 'ARMv7 Processor rev 5 (v7l)',
    board: 'teltonika,rutx',
    hardwareVersion: '0202',
    processors: 4,
    ramMiB: 246,
    flashMiB: 256,
    freeBytes: 100 * MIB,
    maxUploadBytes: 64 * MIB,
    has: { ...none, wifi: true, gps: true, fiveG: true, dualSim: true, usb: true },
    ethernetPorts: 5,
    latencyMs: [20, 90],
  }),
  RUT950: family('RUT950', {
    platform: 'RUT9',
    kernel: '5.4.259',
    system: 'Atheros AR9344 rev 2',
    board: 'TLT-RUT900',
    hardwareVersion: '0605',
    ramMiB: 121,
    flashMiB: 16,
    freeBytes: 40 * MIB,
    maxUploadBytes: 24 * MIB,
    has: { ...none, wifi: true, dualSim: true },
    ethernetPorts: 4,
    latencyMs: [80, 300],
  }),
  RUT241: family('RUT241', {
    platform: 'RUT2M',
    kernel: '5.10.210',
    system: 'MediaTek MT7628AN ver:1 eco:2',
    board: 'teltonika,rut2m',
    hardwareVersion: '0104',
    ramMiB: 121,
    flashMiB: 16,
    freeBytes: 40 * MIB,
    maxUploadBytes: 24 * MIB,
    has: { ...none, wifi: true },
    ethernetPorts: 2,
    latencyMs: [60, 250],
  }),
  TRB140: family('TRB140', {
    platform: 'TRB1',
    kernel: '3.18.44',
    system: 'ARMv7 Processor rev 5 (v7l)',
    board: 'mdm9607',
    hardwareVersion: '0300',
    ramMiB: 116,
    flashMiB: 512,
    freeBytes: 60 * MIB,
    maxUploadBytes: 48 * MIB,
    has: { ...none, usb: true },
    ethernetPorts: 1,
    latencyMs: [70, 280],
  }),
  TRB500: family('TRB500', {
    platform: 'TRB5',
    kernel: '5.4.210',
    system: 'ARMv7 Processor rev 5 (v7l)',
    board: 'sdxprairie',
    hardwareVersion: '0001',
    ramMiB: 476,
    flashMiB: 512,
    freeBytes: 120 * MIB,
    maxUploadBytes: 96 * MIB,
    has: { ...none, gps: true, fiveG: true, usb: true },
    ethernetPorts: 1,
    latencyMs: [30, 120],
  }),
} satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[];

/** The firmware that a device runs unless asked otherwise, and the one that the vendor's server offers. */
export const DEFAULT_FIRMWARE = '07.16.3';
export const NEWEST_VENDOR_FIRMWARE = '07.17.3';

export function firmwareName(family: Family, version: string): string {
  return family.firmwarePrefix + version;
}

/** `[7, 16, 3]` of `RUTX_R_00.07.16.3`; missing parts are 0. */
export function firmwareParts(name: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = (/(?:_\d+\.)?(\d+(?:\.\d+)*)$/.exec(name)?.[1] ?? '')
    .split('.')
    .map(Number);
  return [major, minor, patch];
}

export function isNewerFirmware(candidate: string, current: string): boolean {
  const [a, b] = [firmwareParts(candidate), firmwareParts(current)];
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing >= 0 && a[differing]! > b[differing]!;
}

/** The API version of a firmware where it is known (observed-devices.md 1.7); between them the minor number minus 8 holds. */
const KNOWN_API_VERSIONS: Readonly<Record<string, string>> = {
  '7.16.3': '1.8.3',
  '7.17.3': '1.9.2',
  '7.21.0': '1.13.0',
  '7.24.2': '1.17.1',
};

export function apiVersionOf(firmware: string): string {
  const parts = firmwareParts(firmware);
  if (parts[0] < 7 || (parts[0] === 7 && parts[1] < 7)) return '1.0';
  return KNOWN_API_VERSIONS[parts.join('.')] ?? `1.${Math.max(1, parts[1] - 8)}.${parts[2]}`;
}
