/* The board of a device, as `system/device/status` describes it: modems, networks, sockets and what hardware there is. */
import type { SimulatedDevice } from '../../device/device.js';
import type { Family } from '../../device/families.js';
import { bandList } from '../../device/modem-hardware.js';

/** Fields that boards older than RUT950's successors lack. */
const NEWER_MODEM = {
  framed_routing: false,
  low_signal_reconnect: false,
  red_cap: false,
  verizon_disable_5g_sa: false,
  wwan_gnss_conflict: false,
};

const isGateway = ({ model }: Family): boolean => model.startsWith('TRB');

export function modemOfBoard(family: Family): object {
  const { modem, has, model } = family;
  return {
    id: modem.id,
    num: '1',
    revision: modem.cfgVersion === null ? modem.version : `${modem.version}_${modem.cfgVersion}`,
    vendor: modem.vendor,
    product: modem.product,
    desc: modem.description,
    type: 'gobinet',
    gps: modem.gps,
    control: '2',
    boudrate: '115200',
    stop_bits: '8',
    simcount: has.dualSim ? 2 : 1,
    modem_func_id: 2,
    builtin: true,
    primary: true,
    // RUT241, RUT950, TRB140 and TRB500 were recorded without it.
    ...(has.gps ? { gps_out: true } : {}),
    multi_apn: true,
    operator_scan: true,
    dhcp_filter: true,
    dynamic_mtu: true,
    ipv6: true,
    volte: true,
    csd: false,
    band_list: bandList(modem),
    ...(model === 'RUT950' ? {} : { ...NEWER_MODEM, auto_5g_mode: has.fiveG }),
    ...(isGateway(family) ? { region: 'EU', cmd_port: '/dev/smd8' } : {}),
    ...(model === 'TRB140' ? { data_port: '/dev/smd7', wdm_port: '/dev/cdc-wdm0' } : {}),
  };
}

/** Names of hardware that a board lists whether it has it or not; those of RUT950 end before the second part. */
const OLDER_NAMES = [
  'wps',
  'rs232',
  'nat_offloading',
  'dual_sim',
  'bluetooth',
  'soft_port_mirror',
  'vcert',
  'micro_usb',
  'wifi',
  'sd_card',
  'multi_tag',
  'ethernet',
  'sfp_port',
  'ios',
  'usb',
  'rs485',
  'console',
  'dual_band_ssid',
  'gps',
  'mobile',
  'at_sim',
  'esim',
];
const NEWER_NAMES = [
  '128mb_ram',
  'dot1x-client',
  'dot1x-server',
  'dual_modem',
  'esim-p',
  'gateway',
  'gigabit_port',
  'modbus',
  'no-wired-wan',
  'poe',
  'port_link',
  'reset_button',
  'single_port',
  'small_flash',
  'xfrm-offload',
];

/** What the board of one family only has. */
const OWN_PARTS: Readonly<Record<string, object>> = {
  RUTX50: { usb_jack: '/usb1/', release_version: '21.02.0', gps_out: true },
  RUT950: { led: true },
  RUT241: { checks: {}, vlan0: true },
  TRB140: { nand: true, custom_ifname: 'rmnet_data0', custom_proto: 'qmi' },
  TRB500: { nand: true, epinfo: '/dev/mhi_pipe', qrtr_id: '3' },
};

function hardwareOf({ model, hardware }: Family): object {
  const names = model === 'RUT950' ? OLDER_NAMES : [...OLDER_NAMES, ...NEWER_NAMES];
  return Object.fromEntries(names.map((name) => [name, hardware.includes(name)]));
}

function networksOf({ network, wanDevice }: Family): object {
  const { lan, lanAddress } = network;
  const devices = typeof lan === 'string' ? { device: lan } : { ports: lan };
  return {
    lan: { proto: 'static', ...devices, default_ip: lanAddress },
    ...(wanDevice === null ? {} : { wan: { proto: 'dhcp', device: wanDevice } }),
  };
}

/** The switch of a router; gateways have one socket. */
const switchOf = ({ network, wanDevice }: Family): object => ({
  switch0: {
    enable: true,
    reset: true,
    roles: [
      { ports: '1 2 3 0', role: 'lan', device: network.lan },
      { ports: '4 0', role: 'wan', device: wanDevice },
    ],
    ports: [
      { num: 0, device: 'eth0', need_tag: false, want_untag: false },
      ...[1, 2, 3].map((num) => ({ num, role: 'lan', index: num })),
      { num: 4, role: 'wan' },
    ],
  },
});

/** The two digits of each byte of a MAC, upper case, with or without colons, so many addresses further. */
export function macOf({ mac }: Pick<SimulatedDevice, 'mac'>, further = 0, separator = ''): string {
  const digits = (Number.parseInt(mac.replaceAll(':', ''), 16) + further).toString(16).toUpperCase().padStart(12, '0');
  return digits.match(/../g)!.join(separator);
}

/** The sockets of a device; undefined for the family whose status lists none. */
export function portsOf(device: SimulatedDevice): object[] | undefined {
  const { network, wanDevice } = device.family;
  if (network.ports === null) return undefined;
  const [first, count] = network.ports;
  return Array.from({ length: count }, (_, index) => {
    const isWan = wanDevice !== null && index === count - 1;
    return {
      mac: macOf(device, isWan ? 1 : 0, ':'),
      name: isWan ? 'WAN' : 'LAN',
      num: first + index,
      position: index + 1,
    };
  });
}

export function boardOf(device: SimulatedDevice): object {
  const { family } = device;
  const { model, has, board, platform, boardModel, network, wanDevice } = family;
  const { maxMtu, vlans, readonlyVlans } = network;
  return {
    modems: has.modem ? [modemOfBoard(family)] : [],
    network: networksOf(family),
    network_options: {
      max_mtu: maxMtu,
      vlans,
      ...(readonlyVlans === null ? {} : { readonly_vlans: readonlyVlans }),
    },
    model: { id: board, platform, name: boardModel, ...(isGateway(family) ? { vid: '1d12', pid: '0001' } : {}) },
    hwinfo: hardwareOf(family),
    ...OWN_PARTS[model],
    ...(model === 'RUT241' ? {} : { serial: [{ external_devices: [] }] }),
    ...(wanDevice === null ? {} : { switch: switchOf(family) }),
    ...(has.wifi
      ? { wlan: { wlan0: { bssid_limit: 8 }, ...(has.dualBand ? { wlan1: { bssid_limit: 8 } } : {}) } }
      : {}),
    ...(model === 'RUT241' || isGateway(family)
      ? {
          'network-device': { eth0: { macaddr: macOf(device, 1, ':') } },
          port_security: { fallback_vlan: false, guest_vlan: false, isolation_method: 'vlan' },
        }
      : {}),
  };
}
