/* Requests to Modbus servers that a caller tries: over the network, and over the serial port of the device. */
import { isIPv4 } from 'node:net';
import type { SimulatedDevice } from '../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { dataOf, onPost, type Route } from '../http/route.js';

/** All that a RUT956 takes as `type`; without `/dev/` it refuses them. */
const SERIAL_PORTS = ['/dev/rs232', '/dev/rs485'];

/** @throws Refused 103 */
function requireOption(data: Record<string, unknown>, name: string, isValid: (text: string) => boolean): void {
  const value = data[name];
  if (typeof value !== 'string' || !isValid(value)) throw new Refused(103, { source: name, value });
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

export const MODBUS_ROUTES: readonly Route[] = [
  onPost(`${STEM}/tcp/{id}/requests/actions/test_request`, 'Tries a Modbus request', overNetwork, { codes: [103] }),
  onPost(`${STEM}/serial/servers/{id}/requests/actions/test_request`, 'Tries a serial Modbus request', overSerial, {
    codes: [103],
  }),
];
