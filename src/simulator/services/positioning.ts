/* Position of the device, as texts; a device without a fix answers zero coordinates. */
import type { SimulatedDevice } from '../device/device.js';
import { ok, type SimulatedAnswer } from '../device/exchange.js';
import { positionAt, type Position } from '../device/live/vehicle.js';
import { onGet, type Route, alike } from '../http/route.js';

const NO_FIX: Position = { latitude: 0, longitude: 0, altitude: 0, speed: 0, angle: 0, satellites: 0, accuracy: 0 };

/** `2026-11-23 10:00:00`. */
const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

function position(device: SimulatedDevice): SimulatedAnswer {
  const seconds = device.clock.nowSeconds();
  // A receiver that is off finds nothing.
  const isOn = device.usedSections('gps')[0]?.['enabled'] !== '0';
  const found = isOn ? positionAt({ ...device.moment, at: seconds }) : null;
  const place = found ?? NO_FIX;
  return ok({
    latitude: place.latitude.toFixed(6),
    longitude: place.longitude.toFixed(6),
    altitude: place.altitude.toFixed(1),
    speed: place.speed.toFixed(1),
    angle: place.angle.toFixed(1),
    satellites: String(place.satellites),
    accuracy: place.accuracy.toFixed(1),
    fix_status: found ? '1' : '0',
    timestamp: dateOf(seconds),
    utc_timestamp: String(seconds),
  });
}

export const POSITION_ROUTES: readonly Route[] = alike({ needs: 'gps' }, [
  onGet('/api/gps/position/status', 'Position, as texts', position),
  // A plug-in of Signal K reads it; of its fields only the name of the list is known.
  onGet('/api/gps/nmea/status', 'Serial ports that sentences are sent to', () => ok({ serials: [] })),
  onGet('/api/gps/status', 'The receiver', (device) => ok({ dpo_support: false, uptime: device.uptimeSeconds })),
]);
