/*
 * What a caller tries from a device: ping, traceroute and name look-ups, as texts of the tools on it (without a way out they say
 * so), and requests to Modbus servers, over the network and over its serial port.
 */
import { isIPv4 } from 'node:net';
import type { SimulatedDevice } from '../../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { curveAt, STREAMS } from '../../device/live/noise.js';
import { dataOf, onPost, type Route } from '../../http/route.js';
import { isOnline } from './uplinks.js';

const HOST = /^[A-Za-z0-9]([A-Za-z0-9.:-]{0,252})$/;

interface Target {
  readonly host: string;
  readonly address: string;
}

function targetIn(request: SimulatedRequest): Target {
  const { host, proto = 'ipv4' } = dataOf(request);
  if (typeof host !== 'string' || !HOST.test(host)) throw new DeviceRefusal(103, { source: 'host', value: host });
  if (proto !== 'ipv4' && proto !== 'ipv6') throw new DeviceRefusal(103, { source: 'proto', value: proto });
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host);
  return { host, address: isAddress ? host : ADDRESSES[proto] };
}

/** Where made-up names lead. */
const ADDRESSES = { ipv4: '192.0.2.80', ipv6: '2001:db8::80' };

/** Milliseconds of a round trip over the present link. */
const roundTrip = ({ moment }: SimulatedDevice, packet: number): number =>
  35 + packet + 20 * (1 + curveAt(moment.seed, STREAMS.quality, moment.at + packet, 60));

function ping(device: SimulatedDevice, { host, address }: Target): string {
  const head = `PING ${host} (${address}): 56 data bytes`;
  const tail = `--- ${host} ping statistics ---`;
  if (!isOnline(device))
    return [head, '', tail, '5 packets transmitted, 0 packets received, 100% packet loss'].join('\n');
  const times = [0, 1, 2, 3, 4].map((packet) => roundTrip(device, packet));
  const lines = times.map((ms, seq) => `64 bytes from ${address}: seq=${seq} ttl=55 time=${ms.toFixed(3)} ms`);
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const [least, average, most] = [Math.min(...times), mean, Math.max(...times)].map((ms) => ms.toFixed(3));
  const summary = '5 packets transmitted, 5 packets received, 0% packet loss';
  return [head, ...lines, '', tail, summary, `round-trip min/avg/max = ${least}/${average}/${most} ms`].join('\n');
}

function traceroute(device: SimulatedDevice, { host, address }: Target): string {
  const head = `traceroute to ${host} (${address}), 30 hops max, 46 byte packets`;
  if (!isOnline(device)) return [head, ' 1  *  *  *'].join('\n');
  const hops = ['100.64.0.1', '198.51.100.1', address];
  return [head, ...hops.map((hop, index) => ` ${index + 1}  ${hop}  ${roundTrip(device, index).toFixed(3)} ms`)].join(
    '\n',
  );
}

function lookup(device: SimulatedDevice, { host, address }: Target): string {
  if (!isOnline(device)) return ';; connection timed out; no servers could be reached';
  return ['Server:\t\t127.0.0.1', 'Address:\t127.0.0.1:53', '', `Name:\t${host}`, `Address: ${address}`].join('\n');
}

const onHost = (name: string, summary: string, run: (device: SimulatedDevice, target: Target) => string): Route =>
  onPost(
    `/api/diagnostics/actions/${name}`,
    summary,
    (device, request): SimulatedAnswer => ok({ response: run(device, targetIn(request)) }),
    { codes: [103] },
  );

/** All that a RUT956 takes as `type`; without `/dev/` it refuses them. */
const SERIAL_PORTS = ['/dev/rs232', '/dev/rs485'];

/** @throws Refused 103 */
function requireOption(data: Record<string, unknown>, name: string, isValid: (text: string) => boolean): void {
  const value = data[name];
  if (typeof value !== 'string' || !isValid(value)) throw new DeviceRefusal(103, { source: name, value });
}

const isNumber = (text: string): boolean => /^\d{1,5}$/.test(text);

/** Registers of the server, all with one value (chosen). */
function answerOf(data: Record<string, unknown>): SimulatedAnswer {
  for (const name of ['server_id', 'function', 'first_reg', 'reg_count']) requireOption(data, name, isNumber);
  return ok({ error: 0, result: '[21.50]' });
}

function overNetwork(_device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const data = dataOf(request);
  requireOption(data, 'dev_ipaddr', isIPv4);
  requireOption(data, 'port', isNumber);
  return answerOf(data);
}

function overSerial(_device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const data = dataOf(request);
  requireOption(data, 'type', (type) => SERIAL_PORTS.includes(type));
  return answerOf(data);
}

const STEM = '/api/modbus/client';

export const DIAGNOSTIC_ROUTES: readonly Route[] = [
  onHost('ping', 'Five packets to a host', ping),
  onHost('traceroute', 'The way to a host', traceroute),
  onHost('nslookup', 'The address of a name', lookup),
  onPost(`${STEM}/tcp/{id}/requests/actions/test_request`, 'Tries a Modbus request', overNetwork, { codes: [103] }),
  onPost(`${STEM}/serial/servers/{id}/requests/actions/test_request`, 'Tries a serial Modbus request', overSerial, {
    codes: [103],
  }),
];
