import { flow, read, type PublicClient } from '../flow.js';
import { LOGIN, SMS } from './shared.js';

/* ioBroker.teltonika-rutx50: sends text messages for a smart home. */

const send = (name: string, data: object) =>
  flow(name, { send: 'POST /api/messages/actions/send', data, status: 200, has: { 'data.sms_used': 'number' } });

export const ioBroker: PublicClient = {
  name: 'ioBroker.teltonika-rutx50',
  login: 'top',
  accepts: '200',
  flows: [
    flow('logs in', { send: 'POST /api/login', open: true, json: { username: '{username}', password: '{password}' }, has: LOGIN }),
    flow('is told that the password is wrong', { send: 'POST /api/login', open: true, json: { username: 'admin', password: 'Wrong-1!' }, status: 401, code: 120 }),
    flow('is told that the password is missing', { send: 'POST /api/login', open: true, json: { username: 'admin' }, status: 400 }),
    send('sends a text message', SMS),
    send('sends one with letters outside ASCII', { ...SMS, message: 'Tür offen: 21 °C ✓' }),
    send('sends a long one', { ...SMS, message: 'water '.repeat(40) }),
    flow('sends two at once', { send: 'POST /api/messages/actions/send', data: SMS }, { send: 'POST /api/messages/actions/send', data: SMS }),
    flow('is told that the number is missing', { send: 'POST /api/messages/actions/send', data: { message: 'x', modem: '2-1' }, status: 422 }),
    flow('is told that the modem does not exist', { send: 'POST /api/messages/actions/send', data: { ...SMS, modem: '9-9' }, status: 422 }),
    flow('is told that it has no token', { send: 'POST /api/messages/actions/send', data: SMS, open: true, status: 401 }),
    read('/system/device/status', { 'data.mnfinfo.serial': 'text' }),
    flow('asks for a mobile endpoint that its author assumed, and is told that there is none', { send: 'GET /api/network/mobile', status: 404, code: 122 }),
  ],
}; // prettier-ignore
