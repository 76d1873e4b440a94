import { sentence } from '../../../api/device-texts.js';

/* The fields of answers as people read them. The name as the device has it is the hint beside each. */

const KNOWN: Readonly<Record<string, string>> = {
  answer: 'Answer',
  firmware: 'Firmware today',
  model: 'Model',
  'mnfinfo.batch': 'Batch',
  'mnfinfo.blver': 'Bootloader',
  'mnfinfo.hwver': 'Hardware',
  'mnfinfo.mac': 'MAC address',
  'mnfinfo.macEth': 'MAC address, Ethernet',
  'mnfinfo.name': 'Product code',
  'mnfinfo.serial': 'Serial number',
  'static.cpu_count': 'Processor cores',
  'static.device_name': 'Device name',
  'static.fw_version': 'Firmware version',
  'static.hostname': 'Host name',
  'static.kernel': 'Kernel',
  'static.system': 'Processor',
};

/** Parts that only wrap the others. */
const WRAPPING: ReadonlySet<string> = new Set(['static', 'mnfinfo', 'general', 'config', 'status', 'info']);

const CAPITALS =
  /\b(?:api|apn|bssid|cpu|dhcp|dns|gps|iccid|id|imei|imsi|ip|ipv4|ipv6|lan|lte|mac|mtu|ntp|ram|rsrp|rsrq|rssi|sim|sinr|ssid|tcp|udp|uri|url|usb|vpn|wan)\b/gi;

/** `static.release.version` → `Release, version`; `0.rsrp` → `1, RSRP`. */
export function fieldTitle(name: string): string {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name]!;
  const parts = name.split('.');
  const said = parts.filter((part, at) => at === parts.length - 1 || !WRAPPING.has(part));
  const words = said.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : spaced(part)));
  return sentence(words.join(', ')).replaceAll(CAPITALS, (word) => word.toUpperCase());
}

/** `macEth`, `fw_version` as words. */
const spaced = (part: string): string =>
  part
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
