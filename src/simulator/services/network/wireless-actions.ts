/* What a caller makes the radios do: search, join another network as its client, connect again. */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { dataOf, onPost, type Route, alike } from '../../http/route.js';
import { sectionsOf, serviceOf } from '../sections.js';
import { channelOf, radioIn, type RadioName } from './wireless.js';

/** The radio that a request names. @throws Refused 103 */
function requireRadio(device: SimulatedDevice, request: SimulatedRequest): RadioName {
  const { device: name } = dataOf(request);
  if (!sectionsOf(device, 'wireless/devices').some(({ id }) => id === name)) {
    throw new DeviceRefusal(103, { source: 'device', value: name });
  }
  return radioIn(name);
}

/** Networks around the device: the first is open, the others are not. */
function search(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const radio = requireRadio(device, request);
  const chance = device.random.fork(`scan-${radio}`);
  const { channel, freq } = channelOf(device, radio);
  const found = Array.from({ length: chance.integer(2, 6) }, (_, index) => {
    const signal = -chance.integer(40, 88);
    const isOpen = index === 0;
    const encryption = isOpen
      ? { enabled: false, wpa: [], ciphers: [], authentication: [] }
      : { enabled: true, wpa: [2], ciphers: ['ccmp'], authentication: ['psk'] };
    return {
      ssid: isOpen ? 'harbour-guest' : `harbour-${index}`,
      bssid: chance.mac(),
      mode: 'Master',
      encryption_description: isOpen ? 'None' : 'WPA2 PSK (CCMP)',
      channel,
      mhz: freq,
      quality: Math.max(0, signal + 110),
      quality_max: 70,
      signal,
      encryption,
    };
  });
  return ok(found);
}

/** Makes a client of another network, with an interface of its own that the firewall treats as outside. */
function join(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const radio = requireRadio(device, request);
  const { ssid, bssid, password } = dataOf(request);
  if (typeof ssid !== 'string' && typeof bssid !== 'string') throw new DeviceRefusal(103, { source: 'ssid' });
  const { configuration } = device;
  const interfaces = serviceOf(device, 'interfaces');
  const taken = new Set(configuration.list(interfaces).map(({ id }) => id));
  const id = Array.from({ length: taken.size + 1 }, (_, index) => `wifi${index + 1}`).find((name) => !taken.has(name))!;
  const networks = serviceOf(device, 'wireless/interfaces');
  const found = configuration.list(networks).length;
  if (found >= networks.declaration.maxSections) throw new DeviceRefusal(106, { source: 'wireless/interfaces' });
  configuration.create(interfaces, { id, proto: 'dhcp', area_type: 'wan', metric: '3' });
  const network = configuration.create(networks, {
    mode: 'sta',
    device: [radio],
    ssid: ssid ?? bssid,
    network: id,
    ...(typeof bssid === 'string' ? { bssid } : {}),
    ...(typeof password === 'string' && password !== ''
      ? { encryption: 'psk2', key: password }
      : { encryption: 'none' }),
  });
  const zones = serviceOf(device, 'firewall/zones');
  const wan = configuration.list(zones).find(({ name }) => name === 'wan');
  const outside = Array.isArray(wan?.['network']) ? wan['network'] : [];
  if (wan) configuration.update(zones, [{ id: wan.id, data: { network: [...outside, id] } }]);
  device.did(request.entry, 'create', `wireless/interfaces/${network.id}`);
  return ok(network);
}

function reconnect(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { sta_id: id } = dataOf(request);
  const client = sectionsOf(device, 'wireless/interfaces').find((section) => section.id === id);
  if (client?.['mode'] !== 'sta') throw new DeviceRefusal(103, { source: 'sta_id', value: id });
  device.did(request.entry, 'update', `wireless/interfaces/${client.id}`);
  return ok(undefined);
}

export const WIRELESS_ACTION_ROUTES: readonly Route[] = alike({ needs: 'wifi', codes: [103] }, [
  onPost('/api/wireless/actions/scan', 'Looks for networks', search),
  onPost('/api/wireless/actions/join', 'Joins a network as its client', join, {
    query: ['use_cache'],
    codes: [103, 106],
    effect: 'create',
  }),
  onPost('/api/wireless/actions/reconnect', 'Connects a client again', reconnect, { effect: 'update' }),
]);
