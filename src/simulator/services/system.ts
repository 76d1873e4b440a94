/* What the device is and how it does; reboot. */
import { PATHS, systemStatus, usageStatus } from '../../device-api/contract.js';
import { ROOT } from '../device/accounts.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { bandList } from '../device/modem-hardware.js';
import { DURATIONS } from '../device/profile.js';
import { onGet, onPost, type Route } from '../http/route.js';

function networks(device: SimulatedDevice): object {
  const { ethernetPorts, has } = device.family;
  const ports = Array.from({ length: Math.max(0, ethernetPorts - 1) }, (_, index) => `lan${index + 1}`);
  return {
    lan: { proto: 'static', device: 'br-lan', ports: ports.length > 0 ? ports : ['eth0'], default_ip: '192.168.1.1' },
    ...(ethernetPorts > 1 ? { wan: { proto: 'dhcp', device: 'eth1' } } : {}),
    ...(has.modem ? { mob1s1a1: { proto: 'wwan', device: 'wwan0' } } : {}),
  };
}

function modemOfBoard({ family }: SimulatedDevice): object {
  const { modem, has } = family;
  return {
    id: modem.id,
    num: '1',
    revision: modem.cfgVersion === null ? modem.version : `${modem.version}_${modem.cfgVersion}`,
    vendor: modem.vendor,
    product: modem.product,
    desc: modem.description,
    type: 'gobinet',
    gps: modem.gps,
    control: '2',
    boudrate: '115200',
    stop_bits: '8',
    simcount: has.dualSim ? 2 : 1,
    modem_func_id: 2,
    builtin: true,
    primary: true,
    multi_apn: true,
    operator_scan: true,
    dhcp_filter: true,
    dynamic_mtu: true,
    ipv6: true,
    volte: true,
    csd: false,
    band_list: bandList(modem),
  };
}

/** The last status of each device: most polls find nothing changed, and the same object is written only once (`delivery.ts`). */
const known = new WeakMap<SimulatedDevice, { key: string; answer: SimulatedAnswer }>();

function status(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const isWeak = device.behaviour.partialForWeak && device.accounts.find(request.session!.username)?.group !== ROOT;
  const key = `${device.serial} ${device.firmware.version} ${isWeak}`;
  let last = known.get(device);
  if (last?.key !== key) known.set(device, (last = { key, answer: ok(statusOf(device, isWeak)) }));
  return last.answer;
}

function statusOf(device: SimulatedDevice, isWeak: boolean): object {
  const { family } = device;
  const version = device.firmware.version;
  const [major, minor, patch] = device.firmwareParts;
  const hostname = device.name;
  // `static.release.target` went with 7.24.5, and integrations with it (observed-devices.md 1.13).
  const hasTarget = major < 7 || (major === 7 && (minor < 24 || (minor === 24 && patch < 5)));
  const full = {
    mnfinfo: {
      serial: device.serial,
      mac: device.mac,
      macEth: device.mac,
      name: `${family.model}000000`,
      hwver: family.hardwareVersion,
      batch: '0020',
    },
    static: {
      fw_version: version,
      kernel: family.kernel,
      system: family.system,
      device_name: hostname,
      hostname,
      cpu_count: family.processors,
      release: {
        distribution: 'OpenWrt',
        version: '21.02.0',
        revision: 'r16279-5cc0535800',
        description: 'OpenWrt 21.02.0',
        ...(hasTarget ? { target: `${family.platform.toLowerCase()}/generic` } : {}),
      },
      fw_build_date: '2026-01-22 10:26:32',
      model: family.model,
      board_name: family.board,
    },
    features: { ipv6: true },
    board: boardOf(device),
    ...(family.ethernetPorts > 1
      ? {
          ports: Array.from({ length: family.ethernetPorts }, (_, index) => ({
            name: `port${index + 1}`,
            type: index === 0 ? 'wan' : 'lan',
            link: index === 0 ? 'up' : 'down',
            speed: index === 0 ? 1000 : 'N/A',
          })),
        }
      : {}),
  };
  // A weak account sees part of it, with 200 (observed-devices.md 3).
  return isWeak ? { mnfinfo: { serial: device.serial, name: full.mnfinfo.name }, static: full.static } : full;
}

function boardOf(device: SimulatedDevice): object {
  const { has, board, platform, model } = device.family;
  return {
    modems: has.modem ? [modemOfBoard(device)] : [],
    network: networks(device),
    network_options: { max_mtu: 1500, vlans: 128, readonly_vlans: 2 },
    model: { id: board, platform, name: model },
    hwinfo: {
      wifi: has.wifi,
      gps: has.gps,
      mobile: has.modem,
      dual_sim: has.dualSim,
      bluetooth: has.bluetooth,
      usb: has.usb,
      ios: has.inputsOutputs,
      ethernet: true,
    },
    ...(has.usb ? { usb_jack: '/usb1/' } : {}),
  };
}

const USAGE_PARTS = ['memory', 'load', 'loadavg', 'uptime', 'uptime_seconds', 'localtime'] as const;
type UsagePart = (typeof USAGE_PARTS)[number];

function wantedParts(query: URLSearchParams): UsagePart[] {
  const names = (text: string | null): UsagePart[] => {
    const parts = text?.split(',').filter(Boolean) ?? [];
    for (const part of parts) {
      if (!(USAGE_PARTS as readonly string[]).includes(part)) throw new Refused(116, { source: 'data', value: part });
    }
    return parts as UsagePart[];
  };
  const [wanted, unwanted] = [names(query.get('data')), names(query.get('exclude'))];
  return (wanted.length > 0 ? wanted : [...USAGE_PARTS]).filter((part) => !unwanted.includes(part));
}

async function usage(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  const parts = wantedParts(request.query);
  const { ramMiB, flashMiB } = device.family;
  const chance = device.random.fork(`usage-${Math.floor(device.uptimeSeconds / 10)}`);
  const used = Math.round(ramMiB * (0.4 + chance.next() * 0.2));
  const load = { min1: chance.integer(5, 90) / 100, min5: 0.24, min15: 0.19 };
  const seconds = device.uptimeSeconds;
  const all: Record<UsagePart, unknown> = {
    memory: {
      ram_total: ramMiB,
      ram_used: used,
      ram_free: ramMiB - used,
      ram_cached: Math.round(ramMiB * 0.15),
      flash_total: flashMiB,
      flash_used: Math.round(flashMiB * 0.3),
      flash_free: flashMiB - Math.round(flashMiB * 0.3),
    },
    load,
    loadavg: Object.values(load).join(' '),
    uptime: `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h ${Math.floor((seconds % 3600) / 60)}m ${seconds % 60}s`,
    uptime_seconds: seconds,
    localtime: device.clock.nowSeconds(),
  };
  if (parts.includes('loadavg')) await device.clock.work(DURATIONS.loadAverage[0]);
  return ok(Object.fromEntries(parts.map((part) => [part, all[part]])));
}

function reboot(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  device.reboot(request.entry);
  return ok({ response: 'Rebooting' });
}

export const SYSTEM_ROUTES: readonly Route[] = [
  onGet(PATHS.systemStatus, 'What the device is', status, { answer: systemStatus }),
  onGet(PATHS.usageStatus, 'Memory, load and uptime', usage, {
    query: ['data', 'exclude'],
    answer: usageStatus,
    codes: [116],
  }),
  onPost(PATHS.reboot, 'Restarts the device', reboot, { effect: 'reboot' }),
];
