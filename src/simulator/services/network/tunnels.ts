/* OpenVPN and Tailscale as they run, and the files of an OpenVPN instance. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { KeepingSink, ok, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { fileAnswer, onGet, onPost, type Route } from '../../http/route.js';
import { sectionsOf, serviceOf, textOf, sectionIn } from '../sections.js';
import { isOnline, uplinksOf } from './uplinks.js';
import { keepUpload } from '../../http/request-data.js';

/** Bytes a second of an instance that runs, received and sent (chosen). */
const [RECEIVED, SENT] = [120, 45];

/** An instance runs when it is enabled and the device reaches the internet. */
function openvpnOf(device: SimulatedDevice, section: Section): object {
  const isEnabled = section['enable'] === '1';
  const isUp = isEnabled && isOnline(device);
  const now = device.clock.nowSeconds();
  const switchedOnAt = device.configuration.switchedOnAt(serviceOf(device, 'openvpn'), section.id);
  const begun = Math.max(Math.ceil(switchedOnAt), device.bootedAt);
  const connected = uplinksOf(device).find(({ link }) => link.address !== null)?.link.upSince ?? now;
  const seconds = isUp ? Math.max(0, now - Math.max(begun, connected)) : 0;
  const counted = isEnabled ? Math.max(0, now - begun) : 0;
  const isServer = section['type'] === 'server';
  const clients = isUp && isServer ? clientsOf(device, section, seconds, now) : [];
  return {
    name: section.id,
    type: textOf(section['type'], 'client'),
    protocol: textOf(section['dev'], 'tun'),
    status: isUp ? 'Connected' : 'Disconnected',
    rx: String(counted * RECEIVED),
    tx: String(counted * SENT),
    uptime: String(seconds),
    updated: String(now),
    server: Array.isArray(section['remote']) ? (section['remote'][0] ?? '') : textOf(section['remote'], ''),
    ipaddress: isUp ? (isServer ? '10.8.0.1' : '10.8.0.6') : '',
    ipaddress_remote: isUp && !isServer ? '10.8.0.5' : '',
    device: `tun_${section.id}`,
    logs: '',
    clients_connected: String(clients.length),
    clients_all: String(clients.length),
    clients,
  };
}

/** The clients that the settings of a server name, connected since it runs. */
function clientsOf(device: SimulatedDevice, { id }: Section, seconds: number, now: number): object[] {
  return device.usedSections(`openvpn/${id}/clients`).map(({ common_name: name }, index) => ({
    name,
    ip: `203.0.113.${50 + index}`,
    vpn_ip: `10.8.0.${6 + 4 * index}`,
    vpn_ip6: '',
    mac: '',
    rx: String(seconds * RECEIVED),
    tx: String(seconds * SENT),
    uptime: String(seconds),
    last_ref: String(now),
  }));
}

/** The file is on the device, and an option of the instance may name it. */
function upload(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { id } = sectionIn(device, 'openvpn', request);
  return keepUpload(device, request, `openvpn.${id}`);
}

/** The client's configuration, as a server offers it. */
function download(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const section = sectionIn(device, 'openvpn', request);
  const lines = ['client', `dev ${textOf(section['dev'], 'tun')}`, `proto ${textOf(section['proto'], 'udp')}`];
  const text = [...lines, `remote ${device.host} ${textOf(section['port'], '1194')}`, ''].join('\n');
  return fileAnswer(Buffer.from(text), `${section.id}.ovpn`, 'application/octet-stream');
}

function tailscale(device: SimulatedDevice): SimulatedAnswer {
  const isOn = sectionsOf(device, 'tailscale')[0]?.['enabled'] === '1' && isOnline(device);
  const number = Number(device.serial.slice(-5));
  const ip = isOn ? [`100.100.${(number >> 8) % 256}.${number % 256}`] : [];
  return ok([{ status: isOn ? 'Running' : 'Stopped', url: '', ip, message: [] }]);
}

export const TUNNEL_ROUTES: readonly Route[] = [
  onGet('/api/openvpn/status', 'OpenVPN instances as they run', (device) =>
    ok(sectionsOf(device, 'openvpn').map((section) => openvpnOf(device, section))),
  ),
  onPost('/api/openvpn/config/{id}', 'Takes a file of an OpenVPN instance', upload, {
    upload: () => new KeepingSink(),
    codes: [113, 150, 151],
    effect: 'upload',
  }),
  onPost('/api/openvpn/{id}/actions/download', 'The configuration of a client', download, { codes: [113] }),
  onGet('/api/tailscale/status', 'Tailscale as it runs', tailscale),
];
