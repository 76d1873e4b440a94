/* How the device does: memory, load, uptime. Values come from its seed and scenario. */
import { PATHS, usageStatus } from '../../../device-api/contract.js';
import type { SimulatedDevice } from '../../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { curveAt, STREAMS } from '../../device/live/noise.js';
import { loadAt } from '../../device/live/radio.js';
import { DURATIONS } from '../../device/profile.js';
import { onGet, type Route } from '../../http/route.js';

const USAGE_PARTS = ['memory', 'load', 'loadavg', 'uptime', 'uptime_seconds', 'localtime'] as const;
type UsagePart = (typeof USAGE_PARTS)[number];

function wantedParts(query: URLSearchParams): UsagePart[] {
  const names = (text: string | null): UsagePart[] => {
    const parts = text?.split(',').filter(Boolean) ?? [];
    for (const part of parts) {
      if (!(USAGE_PARTS as readonly string[]).includes(part))
        throw new DeviceRefusal(116, { source: 'data', value: part });
    }
    return parts as UsagePart[];
  };
  const [wanted, unwanted] = [names(query.get('data')), names(query.get('exclude'))];
  return (wanted.length > 0 ? wanted : [...USAGE_PARTS]).filter((part) => !unwanted.includes(part));
}

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;
const percentOf = (part: number, all: number): number => Math.round((part / all) * 100);

/** Share of the writable flash that a new device uses, as recorded from a RUTX50. */
const FLASH_USED = 0.0105;

/** In MiB. Memory fills slowly while the device runs, as on devices that leak a little at each login. */
function memoryOf(device: SimulatedDevice): object {
  const { moment } = device;
  const { ramMiB, flashMiB } = device.family;
  const age = Math.min(1, device.uptimeSeconds / (60 * 86_400));
  const used = ramMiB * (0.42 + 0.1 * curveAt(moment.seed, STREAMS.memory, moment.at, 900) + 0.2 * age);
  const uploaded = (device.family.freeBytes - device.freeBytes) / 1024 / 1024;
  const flashUsed = Math.min(flashMiB, flashMiB * FLASH_USED + uploaded);
  return {
    ram_total: twoDecimals(ramMiB),
    ram_used: twoDecimals(used),
    ram_free: twoDecimals(ramMiB - used),
    ram_buffered: twoDecimals(ramMiB * 0.03),
    ram_shared: twoDecimals(ramMiB * 0.01),
    ram_percentage: percentOf(used, ramMiB),
    flash_total: twoDecimals(flashMiB),
    flash_used: twoDecimals(flashUsed),
    flash_free: twoDecimals(flashMiB - flashUsed),
    flash_percentage: percentOf(flashUsed, flashMiB),
  };
}

/** The processors' load as the system counts it: 1 is one busy processor. */
const loadsOf = ({ moment, family }: SimulatedDevice): object => ({
  min1: loadAt(moment) * family.processors,
  min5: loadAt(moment, 5) * family.processors,
  min15: loadAt(moment, 15) * family.processors,
});

function durationOf(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600)];
  return `${days}d ${hours}h ${Math.floor((seconds % 3600) / 60)}m ${seconds % 60}s`;
}

async function usage(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  const parts = wantedParts(request.query);
  const seconds = device.uptimeSeconds;
  const all: Record<UsagePart, unknown> = {
    memory: memoryOf(device),
    load: loadsOf(device),
    // A share of all processors, 0 to 1.
    loadavg: Math.round(loadAt(device.moment) * 1000) / 1000,
    uptime: durationOf(seconds),
    uptime_seconds: seconds,
    localtime: device.clock.nowSeconds(),
  };
  if (parts.includes('loadavg')) await device.clock.work(DURATIONS.loadAverage[0]);
  return ok(Object.fromEntries(parts.map((part) => [part, all[part]])));
}

/** One row a minute of the last hour. */
function loadHistory(device: SimulatedDevice): SimulatedAnswer {
  const { moment, family } = device;
  const last = Math.floor(moment.at / 60) * 60;
  const rows = Array.from({ length: 60 }, (_, index) => {
    const then = { ...moment, at: last - (59 - index) * 60 };
    return [then.at, ...[1, 5, 15].map((minutes) => twoDecimals(loadAt(then, minutes) * family.processors))];
  });
  return ok(rows);
}

export const USAGE_ROUTES: readonly Route[] = [
  onGet(PATHS.usageStatus, 'Memory, load and uptime', usage, {
    query: ['data', 'exclude'],
    answer: usageStatus,
    codes: [116],
  }),
  onGet('/api/system/device/load/status', 'Load of the last hour', loadHistory),
];
