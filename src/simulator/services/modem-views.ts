/*
 * A device as each of its modems sees it: with the hardware, the radio, the card and the link of that one. What reads or
 * moves one modem takes a view; what the ledger counts belongs to the device.
 */
import type { SimulatedDevice } from '../device/device.js';
import { DeviceRefusal, type SimulatedRequest } from '../device/exchange.js';
import { SimulatedModem } from '../device/live/modem.js';

const known = new WeakMap<SimulatedDevice, readonly SimulatedDevice[]>();

/** The cards of a further modem have other numbers: the serial number that they come from is so much higher (chosen). */
const NEXT_SERIAL = 300_000_000;

function viewOf(device: SimulatedDevice, at: number): SimulatedDevice {
  const family = { ...device.family, modem: device.family.modems[at]! };
  const momentOf = () => ({ ...device.moment, seed: device.moment.seed + at });
  const modem = new SimulatedModem({
    moment: momentOf,
    pace: device.clock.timeScale,
    uplinks: device.uplinks,
    modemId: family.modem.id,
    settings: (service) => device.usedSections(service),
  });
  const serial = String(Number(device.serial) + at * NEXT_SERIAL);
  return Object.create(device, {
    family: { value: family },
    modem: { value: modem },
    moment: { get: momentOf },
    serial: { value: serial },
  }) as SimulatedDevice;
}

/** One for each modem, the primary one first: that is the device itself. */
export function modemViewsOf(device: SimulatedDevice): readonly SimulatedDevice[] {
  if (device.family.modems.length < 2) return [device];
  const views = known.get(device) ?? [device, ...device.family.modems.slice(1).map((_, at) => viewOf(device, at + 1))];
  known.set(device, views);
  return views;
}

/** The device as the modem sees it that a path names. @throws Refused 113 */
export function requireModem(device: SimulatedDevice, { params }: SimulatedRequest): SimulatedDevice {
  const view = modemViewsOf(device).find(({ family }) => family.modem.id === params['id']);
  if (!view) throw new DeviceRefusal(113, { source: 'modem', section: params['id'] ?? '' });
  return view;
}
