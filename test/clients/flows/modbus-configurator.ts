import { flow, type PublicClient } from '../flow.js';

/* modbus-configurator: tries requests to Modbus servers over the router, on its network and on its serial port. */

const REQUEST = {
  server_id: '2',
  timeout: '5',
  function: '3',
  first_reg: '241',
  reg_count: '2',
  data_type: '32bit_float1234',
  no_brackets: '0',
};
const SERIAL = {
  type: '/dev/rs485',
  flowcontrol: 'none',
  parity: 'none',
  databits: '8',
  stopbits: '1',
  baudrate: '19200',
  broadcast: '0',
};
const RESULT = { 'data.result': 'text', 'data.error': 'number' };

const test = (name: string, path: string, data: object, has = RESULT) =>
  flow(name, { send: `POST /api/modbus/client/${path}/requests/actions/test_request`, data, has });

export const modbusConfigurator: PublicClient = {
  name: 'modbus-configurator',
  login: 'top',
  accepts: 'body',
  flows: [
    test('tries a request over the network', 'tcp/1', { ...REQUEST, dev_ipaddr: '192.168.1.20', port: '502', delay: '0' }),
    test('tries a request over the serial port', 'serial/servers/1', { ...REQUEST, ...SERIAL }),
    flow('is told which serial ports there are', {
      send: 'POST /api/modbus/client/serial/servers/1/requests/actions/test_request',
      data: { ...REQUEST, ...SERIAL, type: 'rs485' },
      status: 422,
      code: 103,
    }),
  ],
}; // prettier-ignore
