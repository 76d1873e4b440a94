import { read, type PublicClient } from '../flow.js';
import { MESSAGES, POSITION } from './shared.js';

/* Two plug-ins of Signal K: one shows a RUT906 on a boat, the other sends its alarms as text messages. */

export const signalK: PublicClient = {
  name: 'Signal K',
  login: 'top',
  accepts: 'body',
  renews: true,
  flows: [
    read('/system/device/status', { 'data.static.fw_version': 'text', 'data.static.kernel': 'text', 'data.mnfinfo.name': 'text' }),
    read('/system/device/usage/status', { 'data.memory.ram_used': 'number', 'data.memory.flash_used': 'number', 'data.uptime_seconds': 'number' }),
    read('/modems/status', { 'data[].model': 'text', 'data[].band': 'text', 'data[].temperature': 'whole', 'data[].simstate': 'text' }),
    read('/modems/signal/status', { 'data[].modem': 'text' }),
    read('/sim_cards/status', { 'data[].id': 'text' }),
    read('/gps/status', { data: 'object' }),
    read('/gps/position/status', POSITION),
    read('/gps/nmea/status', { data: 'object' }),
    read('/gps/global', { 'data.enabled': 'flag' }),
    read('/messages/storage/status', { 'data[].modem_id': 'text', 'data[].sim_inserted': 'flag', 'data[].modem_type': 'text' }),
    read('/messages/status', MESSAGES),
  ],
}; // prettier-ignore
