/* What the device is; reboot. */
import { PATHS, systemStatus } from '../../../device-api/contract.js';
import { ROOT } from '../../device/accounts.js';
import type { SimulatedDevice } from '../../device/device.js';
import { ok, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { isNewerFirmware } from '../../device/families.js';
import { onGet, onPost, type Route } from '../../http/route.js';
import { boardOf, macOf, portsOf } from './board.js';

/**
 * The last statuses: most polls find nothing changed, and the same object is written only once (`delivery.ts`). Each takes
 * some kilobytes, so a fleet of ten thousand devices does not keep all.
 */
const known = new WeakMap<SimulatedDevice, { key: string; answer: SimulatedAnswer }>();
const oldestFirst: WeakRef<SimulatedDevice>[] = [];
const MOST_KNOWN = 2_000;

function status(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const isWeak = device.behaviour.partialForWeak && device.accounts.find(request.session!.username)?.group !== ROOT;
  const key = `${device.serial} ${device.firmware.version} ${isWeak} ${device.shownName}`;
  const last = known.get(device);
  if (last?.key === key) return last.answer;
  const answer = ok(statusOf(device, isWeak));
  known.set(device, { key, answer });
  if (!last) remember(device);
  return answer;
}

function remember(device: SimulatedDevice): void {
  oldestFirst.push(new WeakRef(device));
  const oldest = oldestFirst.length > MOST_KNOWN ? oldestFirst.shift()?.deref() : undefined;
  if (oldest) known.delete(oldest);
}

/** The last firmware with all five fields; later ones broke integrations that need them (observed-devices.md 1.13). */
const LAST_WHOLE_RELEASE = '07.24.4';

function releaseOf({ family, firmware }: SimulatedDevice): object {
  const release = { distribution: 'OpenWrt', version: '21.02.0' };
  if (isNewerFirmware(firmware.version, LAST_WHOLE_RELEASE)) return release;
  const revision = 'r16279-5cc0535800';
  return { ...release, revision, target: family.target, description: `OpenWrt 21.02.0 ${revision}` };
}

function statusOf(device: SimulatedDevice, isWeak: boolean): object {
  const { family } = device;
  const version = device.firmware.version;
  const hostname = device.shownName;
  const ports = portsOf(device);
  const full = {
    mnfinfo: {
      serial: device.serial,
      mac: macOf(device),
      macEth: macOf(device, 1),
      name: `${family.model}000000`,
      hwver: family.hardwareVersion,
      batch: '0020',
      blver: family.bootloader,
    },
    static: {
      fw_version: version,
      kernel: family.kernel,
      system: family.system,
      device_name: hostname,
      hostname,
      cpu_count: family.processors,
      release: releaseOf(device),
      fw_build_date: '2026-01-22 10:26:32',
      model: family.boardModel,
      board_name: family.board,
    },
    features: { ipv6: true },
    board: boardOf(device),
    ...(ports === undefined ? {} : { ports }),
  };
  // A weak account sees part of it, with 200 (observed-devices.md 3).
  return isWeak ? { mnfinfo: { serial: device.serial, name: full.mnfinfo.name }, static: full.static } : full;
}

function reboot(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  device.reboot(request.entry);
  return ok({ response: 'Rebooting' });
}

export const SYSTEM_ROUTES: readonly Route[] = [
  onGet(PATHS.systemStatus, 'What the device is', status, { answer: systemStatus }),
  onPost(PATHS.reboot, 'Restarts the device', reboot, { effect: 'reboot' }),
];
