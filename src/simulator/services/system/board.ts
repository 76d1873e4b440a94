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

/** @param at its place among the modems: the second one lacks fields, as recorded from a RUTX12 */
export function modemOfBoard(family: Family, at = 0): object {
  const { has, model } = family;
  const modem = family.modems[at]!;
  return {
    id: modem.id,
    num: String(at + 1),
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
    ...(at === 0 ? { primary: true } : {}),
    // RUT241, RUT950, TRB140 and TRB500 were recorded without it.
    ...(has.gps && at === 0 ? { gps_out: true } : {}),
    multi_apn: true,
    operator_scan: true,
    dhcp_filter: true,
    dynamic_mtu: true,
    ipv6: true,
    volte: true,
    csd: false,
    band_list: bandList(modem),
    ...(model === 'RUT950' ? {} : { ...NEWER_MODEM, auto_5g_mode: has.fiveG }),
    ...(isGateway(family) ? { region: 'EU', cmd_port: model === 'TRB140' ? '/dev/smd9' : '/dev/ttyAT0' } : {}),
    ...(model === 'TRB140' ? { data_port: '/dev/smd8', wdm_port: '/dev/cdc-wdm0' } : {}),
  };
}

const lampOf = (name: string, port: string, sysfs: string): object => ({
  type: 'switch',
  name,
  trigger: 'switch0',
  mode: '',
  port_mask: port,
  speed_mask: '',
  sysfs,
});

/** What the board of one family only has, as recorded. */
const OWN_PARTS: Readonly<Record<string, object>> = {
  RUTX50: { usb_jack: '/usb3/3-1/', release_version: '7.2.8' },
  RUTX08: { usb_jack: '/usb1/1-1/' },
  RUT950: {
    led: {
      wan: { type: 'netdev', name: 'WAN', device: 'eth1', mode: 'link tx rx', sysfs: 'wan_led' },
      lan1: lampOf('LAN1', '0x10', 'eth1_led'),
      lan2: lampOf('LAN2', '0x08', 'eth2_led'),
      lan3: lampOf('LAN3', '0x04', 'eth3_led'),
    },
  },
  RUT241: { checks: [{ name: 'usb_check', path: '/sys/bus/usb/drivers/usb/1-1', action: 'reboot' }] },
  TRB140: {
    nand: { blocksize: 128, pagesize: 2048, subpagesize: 2048 },
    custom_ifname: 'rmnet0',
    custom_proto: 'connm',
  },
  TRB500: {
    nand: { blocksize: 256, pagesize: 4096, subpagesize: 4096 },
    epinfo: { eptype: 'embedded', iface_id: 0, qmap_type: 'qmapv5', rx_pipe: 2, tx_pipe: 14 },
    qrtr_id: 3,
  },
};

/** The devices of which a board names the addresses: those of its sockets, without the one to the host of a TRB140. */
const addressedOf = ({ network: { lan }, wanDevice }: Family): readonly string[] =>
  [...(typeof lan === 'string' ? [lan] : lan), ...(wanDevice === null ? [] : [wanDevice])].filter(
    (name) => name !== 'rndis0',
  );

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
    // A RUTX08 was recorded without the list.
    ...(has.modem ? { modems: family.modems.map((_, at) => modemOfBoard(family, at)) } : {}),
    network: networksOf(family),
    network_options: {
      max_mtu: maxMtu,
      vlans,
      ...(readonlyVlans === null ? {} : { readonly_vlans: readonlyVlans }),
      ...(model === 'RUT241' ? { vlan0: true } : {}),
    },
    model: {
      id: board,
      platform,
      name: boardModel,
      ...(isGateway(family) ? { vid: '0x1D12', pid: model === 'TRB140' ? '0x0002' : '0x0003' } : {}),
    },
    hwinfo: hardwareOf(model, family.hardware),
    ...OWN_PARTS[model],
    ...(model === 'RUT241' ? {} : { serial: [{ external_devices: [] }] }),
    ...(wanDevice === null ? {} : { switch: switchOf(family) }),
    ...(has.wifi
      ? { wlan: { wlan0: { bssid_limit: 8 }, ...(has.dualBand ? { wlan1: { bssid_limit: 8 } } : {}) } }
      : {}),
    ...(model === 'RUT241' || isGateway(family)
      ? {
          'network-device': Object.fromEntries(
            addressedOf(family).map((name, index) => [name, { macaddr: macOf(device, index, ':') }]),
          ),
          port_security: {
            fallback_vlan: false,
            guest_vlan: false,
            isolation_method: isGateway(family) ? 'single_port' : 'vlan',
          },
        }
      : {}),
  };
}

/*
 * Names of hardware that a board lists in `board.hwinfo`, whether it has it or not, as recorded: RUTX50 on 7.17, RUT241 and
 * TRB500 on 7.20, TRB140 on 7.21, RUT950 on 7.06. Other families of a generation have the common part (chosen).
 */
const list = (names: string): readonly string[] => names.trim().split(/\s+/);

/** What all boards of the recordings since 7.17 list. */
const COMMON = list(`
  2_5_gigabit_port 64mb_ram access_point at_sim bacnet baseband basic_router bluetooth boot_part bpoffload bt console
  consumer_access_point dot1x_client downstream_kernel dsa dual_band_ssid dual_modem dual_sim esim ethernet gateway
  gigabit_port gps guest_wifi hi_storage high_watchdog_priority hnat hw_nat hw_offload industrial_access_point io ios
  ledman_lite mbus micro_usb mobile modbus modem_reset_quirk mt7981_wifi multi_device nat_offloading ncm ntrip poe
  port_link port_mirror power_ios pppmobile qrtrpipes reset_button rndis rootfs_part rs232 rs485 sd_card serial
  serial_reset_quirk sfp_port single_port smp soft_port_mirror sw_offload testing_kernel tlt_failsafe_boot tpm usb
  usb_port vendor_wifi verified_boot wifi wps xfrm-offload
`);

/** What RUT950 lists, the oldest one. */
const OLDEST = list(`
  2_5_gigabit_port at_sim bluetooth console dsa dual_band_ssid dual_modem dual_sim ethernet gigabit_port gps hw_nat ios
  micro_usb mobile multi_tag nat_offloading poe port_link rs232 rs485 sd_card sfp_port sfp_switch soft_port_mirror
  sw_rst_on_init usb vcert wifi wps
`);

/** What one family lists beside the common part. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  RUTX50: list('multi_tag'),
  RUT241: list('128mb_ram dot1x-client dot1x-server esim-p small_flash stm_can'),
  TRB140: list('128mb_ram dot1x-server no-wired-wan stm_can user_led'),
  TRB500: list('stm_can'),
};

/** The names of a board, with those that it has. */
function hardwareOf(model: string, present: readonly string[]): Record<string, boolean> {
  const names = model === 'RUT950' ? OLDEST : [...COMMON, ...(OWN[model] ?? [])];
  const all = [...new Set([...names, ...present])].toSorted();
  return Object.fromEntries(all.map((name) => [name, present.includes(name)]));
}
