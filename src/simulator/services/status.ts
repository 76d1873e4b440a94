/* Events and the position of a device (as texts; one without a fix answers zero coordinates), and small actions: keys, profiles. */
import { EVENT_LOGS, eventsLog, PATHS } from '../../device-api/contract.js';
import { wireguardKeys } from '../device/certificates.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { positionAt, type Position } from '../device/live/vehicle.js';
import { dataOf, onGet, onPost, type Route, alike } from '../http/route.js';
import { itemsToChange, numberIn } from '../http/request-data.js';
import { serviceOf } from './sections.js';

function eventsOf(device: SimulatedDevice, { query, params }: SimulatedRequest): SimulatedAnswer {
  const { type } = params;
  if (type !== undefined && !(EVENT_LOGS as readonly string[]).includes(type))
    throw new DeviceRefusal(113, { source: 'type', section: type });
  const [limit, offset] = [numberIn(query, 'limit', 100), numberIn(query, 'offset', 0)];
  const { entries, total } = device.events.list(type, limit, offset);
  return ok(entries, device.behaviour.profile === 'rutos' ? { metadata: { total, limit, offset } } : undefined);
}

function generateKeys(device: SimulatedDevice): SimulatedAnswer {
  const { privateKey, publicKey } = wireguardKeys(device.random.bytes(32));
  return ok({ private: privateKey, public: publicKey });
}

/** Another profile becomes active: all sessions end (observed-devices.md 2). */
function applyProfile(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const address = serviceOf(device, 'profiles');
  const [wanted] = itemsToChange({ ...request, body: { data: [dataOf(request)] } });
  device.configuration.get(address, wanted!.id);
  const changes = device.configuration
    .list(address)
    .map(({ id }) => ({ id, data: { active: id === wanted!.id ? '1' : '0' } }));
  device.configuration.update(address, changes);
  device.did(request.entry, 'update', `profiles/${wanted!.id}`);
  device.sessions.endAll();
  return ok({ response: 'Profile applied' });
}

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

export const STATUS_ROUTES: readonly Route[] = [
  onGet(PATHS.eventsLog, 'All events, newest first', eventsOf, {
    query: ['limit', 'offset'],
    answer: eventsLog,
    codes: [104, 116],
  }),
  onGet(`${PATHS.eventsLog}/{type}`, 'Events of one kind', eventsOf, {
    query: ['limit', 'offset'],
    answer: eventsLog,
    codes: [104, 113, 116],
  }),
  onPost('/api/wireguard/actions/generate_keys', 'A new key pair, not stored', generateKeys),
  onPost('/api/profiles/actions/apply', 'Switches to another configuration profile', applyProfile, {
    codes: [107, 110, 113],
    effect: 'update',
  }),
  ...alike({ needs: 'gps' }, [
    onGet('/api/gps/position/status', 'Position, as texts', position),
    // A plug-in of Signal K reads it; of its fields only the name of the list is known.
    onGet('/api/gps/nmea/status', 'Serial ports that sentences are sent to', () => ok({ serials: [] })),
    onGet('/api/gps/status', 'The receiver', (device) => ok({ dpo_support: false, uptime: device.uptimeSeconds })),
  ]),
];
