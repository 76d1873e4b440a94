/* Events of a device, and its small actions: keys and profiles. */
import { EVENT_LOGS, eventsLog, PATHS } from '../../device-api/contract.js';
import { wireguardKeys } from '../device/certificates.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { dataOf, onGet, onPost, type Route } from '../http/route.js';
import { itemsToChange, numberIn } from '../http/request-data.js';
import { serviceOf } from './sections.js';

function eventsOf(device: SimulatedDevice, { query, params }: SimulatedRequest): SimulatedAnswer {
  const { type } = params;
  if (type !== undefined && !(EVENT_LOGS as readonly string[]).includes(type))
    throw new Refused(113, { source: 'type', section: type });
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
];
