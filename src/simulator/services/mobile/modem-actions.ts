/* What a caller makes a modem do: start again, connect again, use the other SIM, run commands; and the PIN of its card. */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import type { ModemAction } from '../../device/live/mobile-link.js';
import type { SimulatedModem } from '../../device/live/modem.js';
import { dataOf, onPost, type Route, alike } from '../../http/route.js';
import { requireModem } from '../modem-views.js';
import { homeNetworkOf, NETWORKS, signalOf } from './cells.js';

/** Clients accept no `data` from these. */
const DONE: SimulatedAnswer = ok(undefined);

const acting =
  (kind: ModemAction['kind']) =>
  (device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer => {
    const { modem } = requireModem(device, request);
    if (kind === 'switch' && !device.family.has.dualSim) throw new DeviceRefusal(102, { source: 'switch_sim' });
    modem.act(kind);
    device.did(request.entry, 'update', `modem ${kind}`);
    return DONE;
  };

/** A text of the request. @throws Refused 103 */
function textIn(request: SimulatedRequest, name: string, form: RegExp): string {
  const text = dataOf(request)[name];
  if (typeof text !== 'string' || !form.test(text)) throw new DeviceRefusal(103, { source: name });
  return text;
}

const COMMAND = /^.{1,256}$/;
const PIN = /^\d{4,8}$/;
const PUK = /^\d{8}$/;

function sendUssd(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  requireModem(device, request);
  textIn(request, 'ussd', /^[*#0-9]{1,64}$/);
  const timestamp = String(device.clock.nowSeconds());
  return ok({ response: 'CUSD', message: 'Your balance is 10.00 EUR', coding_scheme: '15', state_id: 0, timestamp });
}

/** Answers of an AT interpreter to the commands that people send; every other one is carried out silently. */
function execute(owner: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const device = requireModem(owner, request);
  const command = textIn(request, 'command', COMMAND).toUpperCase();
  const { modem } = device.family;
  const strength = Math.max(0, Math.min(31, Math.round((signalOf(device, device.modem.link).rssi + 113) / 2)));
  const answers: Readonly<Record<string, string>> = {
    ATI: `${modem.manufacturer}\n${modem.model}\nRevision: ${modem.version}`,
    'AT+CSQ': `+CSQ: ${strength},99`,
    'AT+COPS?': `+COPS: 0,0,"${homeNetworkOf(device).op_name}",7`,
  };
  const lines = Object.hasOwn(answers, command) ? [answers[command]!, 'OK'] : ['OK'];
  return ok({ response: lines.join('\n') });
}

function scan(owner: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const device = requireModem(owner, request);
  device.modem.lastScan = device.clock.nowSeconds();
  return ok(scanOf(device));
}

/** What a device's modem finds: its own network, one that it may use, and one that refuses its card. */
export function scanOf(device: SimulatedDevice): object[] {
  const own = homeNetworkOf(device);
  const [available, forbidden] = NETWORKS.filter((network) => network !== own);
  return [
    { status: 'Current', status_code: 2, ...own },
    { status: 'Available', status_code: 1, ...available },
    { status: 'Forbidden', status_code: 3, ...forbidden },
  ].map((network) => ({ net_access_type: '7', ...network }));
}

/** Uses the PIN of the card. @throws Refused 103 for a wrong one, which costs one of three attempts */
function usePin(device: SimulatedDevice, request: SimulatedRequest): SimulatedModem {
  const { modem } = requireModem(device, request);
  const pin = textIn(request, 'pin', PIN);
  const isRight = modem.card.tryPin(pin);
  modem.changed();
  device.isChanged = true;
  if (!isRight) throw new DeviceRefusal(103, { source: 'pin', error: 'The PIN is wrong' });
  return modem;
}

function unlock(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  usePin(device, request);
  return DONE;
}

function lock(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const enabled = textIn(request, 'enabled', /^[01]$/);
  usePin(device, request).card.isLocked = enabled === '1';
  device.did(request.entry, 'update', 'modem pin_lock');
  return DONE;
}

function unblock(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { modem } = requireModem(device, request);
  const [pin, puk] = [textIn(request, 'pin', PIN), textIn(request, 'puk', PUK)];
  if (!modem.card.unblock(puk, pin)) throw new DeviceRefusal(103, { source: 'puk', error: 'The PUK is wrong' });
  device.did(request.entry, 'update', 'modem sim_unblock');
  return ok({ 'pin:set': '1' });
}

function changePin(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const pin = textIn(request, 'new_pin', PIN);
  usePin(device, request).card.pin = pin;
  device.did(request.entry, 'update', 'modem change_pin');
  return ok({ 'new_pin:set': '1' });
}

const ACTIONS = '/api/modems/{id}/actions';

export const MODEM_ACTION_ROUTES: readonly Route[] = alike({ needs: 'modem', codes: [103, 113] }, [
  onPost(`${ACTIONS}/send_ussd`, 'Sends a USSD code', sendUssd),
  onPost(`${ACTIONS}/exec_at`, 'Runs an AT command', execute),
  onPost(`${ACTIONS}/scan_network`, 'Looks for operators', scan, { codes: [113] }),
  onPost(`${ACTIONS}/sim_unlock`, 'Uses the PIN of the card', unlock),
  ...alike({ effect: 'update' }, [
    onPost(`${ACTIONS}/reboot`, 'Starts the modem again', acting('reboot'), { codes: [113] }),
    onPost(`${ACTIONS}/restart_connection`, 'Connects again', acting('reconnect'), { codes: [113] }),
    onPost(`${ACTIONS}/switch_sim`, 'Uses the other SIM', acting('switch'), { codes: [102, 113] }),
    onPost(`${ACTIONS}/pin_lock`, 'Sets whether the card asks for its PIN', lock),
    onPost(`${ACTIONS}/sim_unblock`, 'Uses the PUK of the card', unblock),
    onPost(`${ACTIONS}/change_pin`, 'Changes the PIN of the card', changePin),
  ]),
]);
