/*
 * Device families with the shapes of their real relatives: which radios, ports and services they have, how much memory,
 * how fast they answer. A family is data; what a device does with it is in the services. Five were recorded whole. Of the
 * others the identity, the modems and what they lack are known, and the rest is that of their nearest relative (chosen).
 */
import { MODEMS, NO_MODEM, type ModemHardware } from './modem-hardware.js';
import type { Range } from './random.js';

interface BoardNetwork {
  /** The device of the LAN, or its devices where it names several. */
  readonly lan: string | readonly string[];
  readonly lanAddress: string;
  readonly maxMtu: number;
  readonly vlans: number;
  readonly readonlyVlans: number | null;
  /** Number of the first socket and how many there are; null where the status lists none. */
  readonly ports: readonly [first: number, count: number] | null;
}

export interface Family {
  /** What the label on the device says. */
  readonly model: string;
  /** What `static.model` says: the platform's name on all but the RUTX. */
  readonly boardModel: string;
  readonly platform: string;
  /** Firmware of this family starts with it: `RUTX_R_00.07.16.3`. */
  readonly firmwarePrefix: string;
  readonly kernel: string;
  readonly system: string;
  readonly board: string;
  /** `static.release.target`. */
  readonly target: string;
  readonly bootloader: string;
  readonly hardwareVersion: string;
  readonly processors: number;
  /** As `usage/status` has them: recorded from a RUTX50, chosen for the others. */
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
    readonly dualModem: boolean;
    readonly fiveG: boolean;
    readonly dualSim: boolean;
    /** A second radio, of 5 GHz. */
    readonly dualBand: boolean;
    readonly usb: boolean;
    /** Profiles of a built-in card. */
    readonly esim: boolean;
    /** A socket for a cable that leads outside. */
    readonly cable: boolean;
    /** A text before the login, from the factory. */
    readonly banner: boolean;
  };
  /** How the boards of the recordings describe their networks. */
  readonly network: BoardNetwork;
  /** The socket for a cable that leads outside; null where there is none. */
  readonly wanDevice: string | null;
  /** Names in `board.hwinfo` that are on. */
  readonly hardware: readonly string[];
  /** Time of one answer in milliseconds, by the class of processor and link (chosen). */
  readonly latencyMs: Range;
  /** The primary one first; empty where the device has none. */
  readonly modems: readonly ModemHardware[];
  readonly modem: ModemHardware;
}

const MIB = 1024 * 1024;
type OwnParts = Omit<Family, 'model' | 'firmwarePrefix' | 'processors' | 'modems' | 'modem' | 'has'>;

/** What a device has follows from its board, its sockets and its modem. */
const family = (
  model: string,
  own: OwnParts & { readonly processors?: number },
  modems: readonly ModemHardware[] = Object.hasOwn(MODEMS, model) ? [MODEMS[model as keyof typeof MODEMS]] : [],
): Family => ({
  model,
  firmwarePrefix: `${own.platform}_R_00.`,
  processors: 1,
  ...own,
  modems,
  modem: modems[0] ?? NO_MODEM,
  has: {
    wifi: own.hardware.includes('wifi'),
    gps: own.hardware.includes('gps'),
    modem: modems.length > 0,
    dualModem: modems.length > 1,
    fiveG: modems.some(({ bands }) => bands.nr.length > 0),
    dualSim: own.hardware.includes('dual_sim'),
    dualBand: own.hardware.includes('dual_band_ssid'),
    usb: own.hardware.includes('usb'),
    esim: own.hardware.includes('esim-p'),
    cable: own.wanDevice !== null,
    // Recorded from an OTD500 on 07.11.1.
    banner: model === 'OTD500',
  },
});

/** What all RUTX have in common. */
const RUTX = {
  platform: 'RUTX',
  kernel: '6.6.96',
  system: 'ARMv7 Processor rev 5 (v7l)',
  board: 'teltonika,rutx',
  target: 'ipq40xx/generic',
  bootloader: '3.0',
  hardwareVersion: '0202',
  processors: 4,
  ramMiB: 241.08,
  flashMiB: 85.78,
  freeBytes: 100 * MIB,
  maxUploadBytes: 64 * MIB,
  network: { lan: 'eth0', lanAddress: '192.168.1.1', maxMtu: 9000, vlans: 128, readonlyVlans: 2, ports: [1, 5] },
  wanDevice: 'eth1',
  latencyMs: [20, 90],
} as const;

/** What the boards of all routers with Wi-Fi of two bands have (chosen). */
const LARGE = [
  'ethernet mobile ios wifi gps dual_sim usb at_sim dual_band_ssid gigabit_port nat_offloading',
  'port_link reset_button xfrm-offload',
].flatMap((names) => names.split(' '));

/** Of the MediaTek boards, which differ from the RUTX in what a status says of them. */
const RUTM = {
  ...RUTX,
  platform: 'RUTM',
  kernel: '6.6.96',
  system: 'MediaTek MT7621 ver:1 eco:3',
  board: 'teltonika,rutm',
  target: 'ramips/mt7621',
  network: { ...RUTX.network, lan: 'lan', maxMtu: 2026, ports: [0, 5] },
  wanDevice: 'wan',
} as const;

export const FAMILIES = {
  RUTX50: family('RUTX50', {
    ...RUTX,
    boardModel: 'RUTX50',
    hardware: [
      'ethernet',
      'mobile',
      'ios',
      'wifi',
      'gps',
      'dual_sim',
      'usb',
      'at_sim',
      'dual_band_ssid',
      'gigabit_port',
      'multi_tag',
      'nat_offloading',
      'port_link',
      'reset_button',
      'xfrm-offload',
    ],
  }),
  RUT950: family('RUT950', {
    boardModel: 'Teltonika RUT9XX',
    platform: 'RUT9',
    kernel: '5.4.291',
    system: 'Atheros AR9344 rev 2',
    board: 'teltonika,rut9xx',
    target: 'ath79/generic',
    bootloader: '4.0.8',
    hardwareVersion: '0605',
    ramMiB: 121.41,
    flashMiB: 7.31,
    freeBytes: 40 * MIB,
    maxUploadBytes: 24 * MIB,
    network: { lan: 'eth0.1', lanAddress: '192.168.1.1', maxMtu: 1500, vlans: 15, readonlyVlans: 1, ports: null },
    wanDevice: 'eth1',
    hardware: ['ethernet', 'mobile', 'ios', 'wifi', 'dual_sim', 'nat_offloading'],
    latencyMs: [80, 300],
  }),
  RUT241: family('RUT241', {
    boardModel: 'Teltonika RUT2M',
    platform: 'RUT2M',
    kernel: '5.15.196',
    system: 'MediaTek MT7628AN ver:1 eco:2',
    board: 'teltonika,rut2m',
    target: 'ramips/mt76x8',
    bootloader: '4.2.0',
    hardwareVersion: '0104',
    ramMiB: 120.62,
    flashMiB: 5.94,
    freeBytes: 40 * MIB,
    maxUploadBytes: 24 * MIB,
    network: { lan: 'eth0.1', lanAddress: '192.168.1.1', maxMtu: 1500, vlans: 16, readonlyVlans: 2, ports: [0, 2] },
    wanDevice: 'eth0.2',
    hardware: [
      'ethernet',
      'mobile',
      'ios',
      'wifi',
      '128mb_ram',
      'dot1x-client',
      'dot1x-server',
      'esim-p',
      'nat_offloading',
      'port_link',
      'reset_button',
      'small_flash',
      'xfrm-offload',
    ],
    latencyMs: [60, 250],
  }),
  TRB140: family('TRB140', {
    boardModel: 'Teltonika TRB14X',
    platform: 'TRB1',
    kernel: '5.4.302',
    system: 'ARMv7 Processor rev 5 (v7l)',
    board: 'teltonika,trb14x',
    target: 'mdm9x07/generic',
    bootloader: 'N/A',
    hardwareVersion: '0300',
    ramMiB: 116.27,
    flashMiB: 61.45,
    freeBytes: 60 * MIB,
    maxUploadBytes: 48 * MIB,
    network: {
      lan: ['eth0', 'rndis0'],
      lanAddress: '192.168.2.1',
      maxMtu: 1500,
      vlans: 4094,
      readonlyVlans: null,
      ports: [0, 1],
    },
    wanDevice: null,
    hardware: [
      'ethernet',
      'mobile',
      'ios',
      '128mb_ram',
      'dot1x-server',
      'gateway',
      'gigabit_port',
      'micro_usb',
      'modbus',
      'no-wired-wan',
      'port_link',
      'reset_button',
      'single_port',
    ],
    latencyMs: [70, 280],
  }),
  TRB500: family('TRB500', {
    boardModel: 'Teltonika TRB5XX',
    platform: 'TRB500',
    kernel: '4.14.336',
    system: 'ARMv7 Processor rev 5 (v7l)',
    board: 'teltonika,trb5xx',
    target: 'sdxprairie/generic',
    bootloader: 'N/A',
    hardwareVersion: '0001',
    ramMiB: 476.34,
    flashMiB: 112.86,
    freeBytes: 120 * MIB,
    maxUploadBytes: 96 * MIB,
    network: {
      lan: ['eth0', 'ecm0'],
      lanAddress: '192.168.2.1',
      maxMtu: 1500,
      vlans: 4094,
      readonlyVlans: null,
      ports: [0, 1],
    },
    wanDevice: null,
    hardware: [
      'ethernet',
      'mobile',
      'ios',
      'gateway',
      'gigabit_port',
      'micro_usb',
      'modbus',
      'port_link',
      'reset_button',
    ],
    latencyMs: [30, 120],
  }),
  RUTX12: family(
    'RUTX12',
    {
      ...RUTX,
      boardModel: 'RUTX12',
      hardware: [...LARGE.filter((name) => name !== 'dual_sim'), 'multi_tag', 'dual_modem'],
    },
    [MODEMS.RUTX12, MODEMS.RUTX12_SECOND],
  ),
  // Recorded on 07.10.2: no modem, no Wi-Fi, and a status that lists no sockets.
  RUTX08: family('RUTX08', {
    ...RUTX,
    boardModel: 'RUTX08',
    network: { ...RUTX.network, ports: null },
    hardware: 'ethernet ios usb gigabit_port hw_nat nat_offloading port_link multi_tag'.split(' '),
  }),
  RUTX11: family('RUTX11', { ...RUTX, boardModel: 'RUTX11', hardware: [...LARGE, 'multi_tag', 'bluetooth'] }),
  RUT956: family('RUT956', {
    boardModel: 'Teltonika RUT9M',
    platform: 'RUT9M',
    kernel: '5.15.200',
    system: 'MediaTek MT7628AN ver:1 eco:2',
    board: 'teltonika,rut9m',
    target: 'ramips/mt76x8',
    bootloader: '4.3.0',
    hardwareVersion: '0404',
    ramMiB: 120.62,
    flashMiB: 5.94,
    freeBytes: 40 * MIB,
    maxUploadBytes: 24 * MIB,
    network: { lan: 'eth0.1', lanAddress: '192.168.1.1', maxMtu: 1500, vlans: 16, readonlyVlans: 2, ports: [0, 4] },
    wanDevice: 'eth0.2',
    hardware: 'ethernet mobile ios wifi gps dual_sim usb rs232 rs485 nat_offloading port_link reset_button'.split(' '),
    latencyMs: [60, 250],
  }),
  RUTM50: family('RUTM50', { ...RUTM, boardModel: 'RUTM50', hardware: LARGE }),
  OTD500: family('OTD500', {
    ...RUTM,
    boardModel: 'OTD500',
    platform: 'OTD5',
    board: 'teltonika,otd5',
    network: { ...RUTM.network, ports: [0, 2] },
    hardware: 'ethernet mobile ios dual_sim esim-p gigabit_port nat_offloading port_link poe reset_button'.split(' '),
  }),
} satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[];

/** The families of a mixed fleet, in turn: those that were recorded whole. */
export const RECORDED_FAMILIES = ['RUTX50', 'RUT950', 'RUT241', 'TRB140', 'TRB500'] as const satisfies FamilyName[];

/**
 * The firmware that a device runs unless asked otherwise, and the one that the vendor's server offers. Tests and the demo
 * take them from here; the documents name them as text, and the tests of the documents fail when they name others.
 */
export const DEFAULT_FIRMWARE = '07.24.2';
export const NEWEST_VENDOR_FIRMWARE = '07.25.3';

export function firmwareName(family: Family, version: string): string {
  return family.firmwarePrefix + version;
}

/** `[7, 16, 3]` of `RUTX_R_00.07.16.3` and of `RUTX_R_00.07.16.3_hotfix1`; missing parts are 0. */
export function firmwareParts(name: string): [number, number, number] {
  const digits = /_R_\d+\.(\d+(?:\.\d+)*)/.exec(name)?.[1] ?? /^\d+(?:\.\d+)*/.exec(name)?.[0] ?? '';
  const [major = 0, minor = 0, patch = 0] = digits.split('.').map(Number);
  return [major, minor, patch];
}

export function isNewerFirmware(candidate: string, current: string): boolean {
  const [a, b] = [firmwareParts(candidate), firmwareParts(current)];
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing >= 0 && a[differing]! > b[differing]!;
}

/** The API version of a firmware where it is known (observed-devices.md 1.7). */
const KNOWN_API_VERSIONS: Readonly<Record<string, string>> = {
  '7.16.3': '1.8.3',
  '7.17.3': '1.9.2',
  '7.21.0': '1.13.0',
  '7.24.2': '1.17.1',
};

export function apiVersionOf(firmware: string): string {
  const parts = firmwareParts(firmware);
  if (parts[0] < 7 || (parts[0] === 7 && parts[1] < 7)) return '1.0';
  // One minor number of the API for each one of the firmware: up to 07.21 8 less, from 07.24 on 7 less, as those known have it.
  const behind = parts[1] >= 24 ? 7 : 8;
  return KNOWN_API_VERSIONS[parts.join('.')] ?? `1.${Math.max(1, parts[1] - behind)}.${parts[2]}`;
}
