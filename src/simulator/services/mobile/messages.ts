/* Text messages: the received ones, sending one, removing some; files and a test message of the recipients of rules. */
import { ACTION_CODES } from '../../../device-api/contract.js';
import type { SimulatedDevice } from '../../device/device.js';
import {
  KeepingSink,
  ok,
  refuse,
  DeviceRefusal,
  type SimulatedAnswer,
  type SimulatedRequest,
} from '../../device/exchange.js';
import { dataOf, onGet, onPost, type Route, alike } from '../../http/route.js';
import { keepUpload } from '../../http/request-data.js';
import { sectionIn } from '../sections.js';

/** Characters of one part of a message. */
const PART_LENGTH = 160;

/** `Fri Nov 18 11:30:58 2022`, as the modem writes it. */
function dateOf(at: number): string {
  const [weekday, day, month, year, time] = new Date(at * 1000).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${time} ${year}`;
}

function list(device: SimulatedDevice): SimulatedAnswer {
  const modem_id = device.family.modem.id;
  const texts = device.inbox.list(device.moment);
  return ok(texts.map(({ at, ...text }) => ({ ...text, modem_id, date: dateOf(at) })));
}

function requireOwnModem(device: SimulatedDevice, modem: unknown, source: string): void {
  if (modem !== undefined && !device.family.modems.some(({ id }) => id === modem))
    throw new DeviceRefusal(103, { source, value: modem });
}

function send(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { number, message, modem } = dataOf(request);
  if (typeof number !== 'string' || !/^\+?\d{3,20}$/.test(number))
    throw new DeviceRefusal(103, { source: 'number', value: number });
  if (typeof message !== 'string' || message === '')
    throw new DeviceRefusal(103, { source: 'message', value: message });
  requireOwnModem(device, modem, 'modem');
  // The code of a modem without a network was not recorded (chosen).
  if (!device.modem.link.isRegistered) {
    const { code } = ACTION_CODES.noInternet;
    throw new DeviceRefusal(code, { error: 'The modem has no network', source: 'modem', section: 'send' });
  }
  device.did(request.entry, 'send-message', number);
  return ok({ sms_used: Math.ceil(message.length / PART_LENGTH) });
}

function remove(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { modem_id: modem, sms_id: ids } = dataOf(request);
  requireOwnModem(device, modem, 'modem_id');
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string')) {
    throw new DeviceRefusal(103, { source: 'sms_id', value: ids });
  }
  if (!device.inbox.remove(device.moment, ids)) throw new DeviceRefusal(113, { source: 'sms_id' });
  device.did(request.entry, 'delete', `messages/${ids.join(',')}`);
  return ok({ response: 'Messages removed' });
}

/** The old way, outside the API and without a session: the login is in the form. */
function sendByForm(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { username, password, number, text } = dataOf(request);
  const account = typeof username === 'string' ? device.accounts.find(username) : undefined;
  if (!account || account.password !== password || device.sessions.isBlocked(request.source)) {
    device.sessions.failed(request.source);
    device.ledger.failedLogin(device.index);
    throw refuse('loginFailed', device.behaviour.profile, 'sms_send');
  }
  const checked = { ...request, body: { data: { number, message: text } } };
  send(device, checked);
  return { status: 200, body: 'OK\n' };
}

/** One row for each modem, as a plug-in of Signal K reads it. */
function storage({ family: { modems } }: SimulatedDevice): SimulatedAnswer {
  return ok(modems.map(({ id, model }) => ({ modem_id: id, sim_inserted: '1', modem_type: model })));
}

const uploadTo =
  (key: string) =>
  (device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer => {
    sectionIn(device, key, request);
    return keepUpload(device, request, key.replace('/', '.'));
  };

function sendEmail(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  for (const name of ['smtp_ip', 'smtp_port', 'senderemail']) {
    if (typeof dataOf(request)[name] !== 'string') throw new DeviceRefusal(103, { source: name });
  }
  device.did(request.entry, 'send-message', 'mail');
  return ok({ response: 'Email sent' });
}

const onUpload = (key: string, summary: string): Route =>
  onPost(`/api/${key}/config/{id}`, summary, uploadTo(key), {
    upload: () => new KeepingSink(),
    codes: [113, 150, 151],
    effect: 'upload',
  });

export const MESSAGE_ROUTES: readonly Route[] = [
  ...alike({ needs: 'modem' }, [
    onGet('/api/messages/storage/status', 'Where text messages are kept', storage),
    onGet('/api/messages/status', 'Text messages that arrived', list),
    onPost('/api/messages/actions/send', 'Sends a text message', send, { codes: [15, 103], effect: 'send-message' }),
    onPost('/cgi-bin/sms_send', 'Sends a text message, with the login in the form', sendByForm, {
      open: true,
      form: true,
      codes: [15, 103, 120],
      effect: 'send-message',
    }),
    onPost('/api/messages/actions/remove_messages', 'Removes text messages', remove, {
      codes: [103, 113],
      effect: 'delete',
    }),
  ]),
  onUpload('recipients/phone_groups', 'Takes a list of phone numbers'),
  onUpload('recipients/email_users', 'Takes the certificate of a mail server'),
  onPost('/api/recipients/email_users/actions/send_email', 'Sends a mail to try the settings', sendEmail, {
    codes: [103],
    effect: 'send-message',
  }),
];
