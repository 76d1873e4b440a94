/* OpenVPN and Tailscale as they run, and the files of an OpenVPN instance. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { KeepingSink, ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { fileAnswer, onGet, onPost, type Route } from '../../http/route.js';
import { sectionsOf, textOf } from '../sections.js';
import { isOnline, uplinksOf } from './uplinks.js';

const instance = (device: SimulatedDevice, { params }: SimulatedRequest): Section => {
  const found = sectionsOf(device, 'openvpn').find(({ id }) => id === params['id']);
  if (!found) throw new Refused(113, { source: 'id', section: params['id'] ?? '' });
  return found;
};

/** An instance runs when it is enabled and the device reaches the internet. */
function openvpnOf(device: SimulatedDevice, section: Section): object {
  const isUp = section['enable'] === '1' && isOnline(device);
  const now = device.clock.nowSeconds();
  const since = uplinksOf(device).find(({ link }) => link.address !== null)?.link.upSince ?? now;
  const seconds = isUp ? Math.max(0, now - since) : 0;
  const counted = section['enable'] === '1' ? device.uptimeSeconds : 0;
  return {
    name: section.id,
    type: textOf(section['type'], 'client'),
    protocol: textOf(section['dev'], 'tun'),
    status: isUp ? 'Connected' : 'Disconnected',
    rx: String(counted * 120),
    tx: String(counted * 45),
    uptime: String(seconds),
    updated: String(now),
    server: Array.isArray(section['remote']) ? (section['remote'][0] ?? '') : textOf(section['remote'], ''),
    ipaddress: isUp ? '10.8.0.6' : '',
    ipaddress_remote: isUp ? '10.8.0.5' : '',
    device: `tun_${section.id}`,
    logs: '',
    clients_connected: '0',
    clients_all: '0',
    clients: [],
  };
}

/** The file is on the device, and an option of the instance may name it. */
function upload(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { id } = instance(device, request);
  const file = request.file!;
  const path = `/etc/vuci-uploads/cbid.openvpn.${id}.${file.name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`;
  device.keepUpload(path, file.size);
  device.did(request.entry, 'upload', path);
  return ok({ path });
}

/** The client's configuration, as a server offers it. */
function download(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const section = instance(device, request);
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
