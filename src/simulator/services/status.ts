/* What a device measures and logs, and its small actions: modems, position, leases, interfaces, data usage, events, messages. */
import { EVENT_LOGS, eventsLog, PATHS } from '../../device-api/contract.js';
import { wireguardKeys } from '../certificates.js';
import type { SimulatedDevice } from '../device.js';
import { ok, Refused, type Answer, type DeviceRequest } from '../exchange.js';
import { dataOf, type Route } from '../route.js';
import { itemsToChange } from '../request-data.js';

/** Numbers that stay the same for ten seconds and differ between devices. */
const measure = (device: SimulatedDevice, of: string) =>
  device.random.fork(`${of}-${Math.floor(device.uptimeSeconds / 10)}`);

function modems(device: SimulatedDevice): Answer {
  const chance = measure(device, 'modem');
  const temperature = chance.integer(300, 520);
  const digits = device.serial.padStart(12, '0');
  return ok([
    {
      id: '1-1',
      rssi: -chance.integer(55, 95),
      rsrp: -chance.integer(80, 115),
      rsrq: -chance.integer(6, 15),
      sinr: chance.integer(0, 22),
      operator: 'Testnet LT',
      conntype: device.family.has.fiveG ? '5G-NSA' : 'LTE',
      imei: `86${digits}1`.slice(0, 15),
      iccid: `8937${digits}0000`.slice(0, 20),
      // One field's type varies by model (observed behaviour 1.12).
      temperature: device.family.temperatureAsText ? String(temperature) : temperature,
      txbytes: device.uptimeSeconds * 311,
      rxbytes: device.uptimeSeconds * 1207,
      provider: 'N/A',
    },
  ]);
}

function position(device: SimulatedDevice): Answer {
  const chance = device.random.fork('position');
  const [latitude, longitude] = [54 + chance.next(), 24 + chance.next()];
  return ok({
    latitude: latitude.toFixed(6),
    longitude: longitude.toFixed(6),
    altitude: '112.4',
    speed: '0.0',
    satellites: '9',
    accuracy: '1.2',
    fix_status: '1',
    utc_timestamp: String(device.clock.nowSeconds()),
  });
}

function leases(device: SimulatedDevice): Answer {
  const chance = device.random.fork('leases');
  return ok(
    Array.from({ length: chance.integer(1, 4) }, (_, index) => ({
      hostname: `client-${index + 1}`,
      macaddr: [2, ...chance.bytes(5)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
      ipaddr: `192.168.1.${101 + index}`,
      expires: chance.integer(600, 43_200),
      interface: 'lan',
    })),
  );
}

function interfaces(device: SimulatedDevice): Answer {
  const declaration = device.declarations.get('interfaces');
  const sections = declaration ? device.configuration.list({ declaration, key: 'interfaces' }) : [];
  return ok(
    sections.map(({ id, proto, ipaddr }) => ({
      id,
      proto,
      is_up: id !== 'wan',
      uptime: id === 'wan' ? 'N/A' : device.uptimeSeconds,
      'ipv4-address': ipaddr === undefined ? [] : [{ address: ipaddr, mask: 24 }],
    })),
  );
}

const radio = (device: SimulatedDevice): object => ({
  id: 'radio0',
  up: true,
  channel: 6,
  bitrate: 'N/A',
  clients: device.random.fork('wifi').integer(0, 5),
});

function dataUsage(device: SimulatedDevice, { params }: DeviceRequest): Answer {
  const days = { day: 1, week: 7, month: 30, total: 365 }[params['interval'] ?? ''];
  if (days === undefined) throw new Refused(113, { source: 'interval', section: params['interval'] ?? '' });
  const chance = device.random.fork('usage');
  return ok([{ modem: '1-1', sim: '1', tx: days * chance.integer(1e6, 9e6), rx: days * chance.integer(1e7, 9e7) }]);
}

/** The lists of numbers that an events log may be cut by. */
function cut(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^\d{1,6}$/.test(text)) throw new Refused(116, { source: name, value: text });
  return Number(text);
}

function eventsOf(device: SimulatedDevice, { query, params }: DeviceRequest): Answer {
  const { type } = params;
  if (type !== undefined && !(EVENT_LOGS as readonly string[]).includes(type))
    throw new Refused(113, { source: 'type', section: type });
  const [limit, offset] = [cut(query, 'limit', 100), cut(query, 'offset', 0)];
  const { entries, total } = device.events.list(type, limit, offset);
  return ok(entries, device.behaviour.profile === 'rutos' ? { metadata: { total, limit, offset } } : undefined);
}

function generateKeys(device: SimulatedDevice): Answer {
  const { privateKey, publicKey } = wireguardKeys(device.random.bytes(32));
  return ok({ private: privateKey, public: publicKey });
}

function sendMessage(device: SimulatedDevice, request: DeviceRequest): Answer {
  const { number, message, modem } = dataOf(request);
  if (typeof number !== 'string' || !/^\+?\d{3,20}$/.test(number))
    throw new Refused(103, { source: 'number', value: number });
  if (typeof message !== 'string' || message === '') throw new Refused(103, { source: 'message', value: message });
  if (modem !== undefined && modem !== '1-1') throw new Refused(103, { source: 'modem', value: modem });
  device.did(request.entry, 'send-message', number);
  return ok({ sms_used: Math.ceil(message.length / 160) });
}

/** Another profile becomes active: all sessions end (observed behaviour 2). */
function applyProfile(device: SimulatedDevice, request: DeviceRequest): Answer {
  const declaration = device.declarations.get('profiles');
  if (!declaration) throw new Refused(100, { source: 'profiles' });
  const address = { declaration, key: 'profiles' };
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
  {
    method: 'GET',
    path: '/api/modems/status',
    summary: 'Signal and identity of the modems',
    needs: 'modem',
    handle: modems,
  },
  { method: 'GET', path: '/api/gps/position/status', summary: 'Position, as strings', needs: 'gps', handle: position },
  { method: 'GET', path: '/api/dhcp/leases/ipv4/status', summary: 'Addresses that are leased', handle: leases },
  { method: 'GET', path: '/api/interfaces/status', summary: 'State of the network interfaces', handle: interfaces },
  {
    method: 'GET',
    path: '/api/wireless/devices/status',
    summary: 'State of the radios',
    needs: 'wifi',
    handle: (device) => ok([radio(device)]),
  },
  {
    method: 'GET',
    path: '/api/wireless/interfaces/status',
    summary: 'State of the wireless networks',
    needs: 'wifi',
    handle: (device) => ok([radio(device)]),
  },
  {
    method: 'GET',
    path: '/api/data_usage/{interval}/status',
    summary: 'Mobile data by interval',
    needs: 'modem',
    codes: [113],
    handle: dataUsage,
  },
  {
    method: 'GET',
    path: PATHS.eventsLog,
    summary: 'All events, newest first',
    query: ['limit', 'offset'],
    answer: eventsLog,
    codes: [104, 116],
    handle: eventsOf,
  },
  {
    method: 'GET',
    path: `${PATHS.eventsLog}/{type}`,
    summary: 'Events of one kind',
    query: ['limit', 'offset'],
    answer: eventsLog,
    codes: [104, 113, 116],
    handle: eventsOf,
  },
  {
    method: 'POST',
    path: '/api/wireguard/actions/generate_keys',
    summary: 'A new key pair, not stored',
    handle: generateKeys,
  },
  {
    method: 'POST',
    path: '/api/messages/actions/send',
    summary: 'Sends a text message',
    needs: 'modem',
    codes: [103],
    effect: 'send-message',
    handle: sendMessage,
  },
  {
    method: 'POST',
    path: '/api/profiles/actions/apply',
    summary: 'Switches to another configuration profile',
    codes: [107, 110, 113],
    effect: 'update',
    handle: applyProfile,
  },
];
