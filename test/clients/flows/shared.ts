import { type Fields } from '../flow.js';

/* Answers that several clients read in the same way. */

export const LOGIN: Fields = { 'data.username': 'text', 'data.token': 'text', 'data.expires': 'number' };

export const UNAUTHORIZED: Fields = {
  'data.lang': 'text',
  'data.device_name': 'text',
  'data.device_model': 'text',
  'data.api_version': 'text',
  'data.device_identifier': 'text',
};

/** Signal and state of a modem, as all clients of modems read them. */
export const MODEM: Fields = {
  'data[].id': 'text',
  'data[].imei': 'text',
  'data[].rsrp': 'number',
  'data[].rsrq': 'number',
  'data[].sinr': 'number',
  'data[].temperature': 'whole',
  'data[].txbytes': 'number',
  'data[].rxbytes': 'number',
  'data[].conntype': 'text',
  'data[].band': 'text',
};

/** What the strict readers of modems need beside it. */
export const WHOLE_MODEM: Fields = {
  ...MODEM,
  'data[].name': 'text',
  'data[].oper': 'text',
  'data[].provider': 'text',
  'data[].ntype': 'text',
  'data[].imsi': 'text',
  'data[].iccid': 'text',
  'data[].cellid': 'text',
  'data[].model': 'text',
  'data[].version': 'text',
  'data[].simstate': 'text',
  'data[].simstate_id': 'number',
  'data[].pinstate': 'text',
  'data[].pinstate_id': 'number',
  'data[].pinleft': 'number',
  'data[].state': 'text',
  'data[].state_id': 'number',
  'data[].netstate': 'text',
  'data[].netstate_id': 'number',
  'data[].active_sim': 'number',
  'data[].sim_count': 'number',
  'data[].mobile_stage': 'number',
  'data[].busy_state': 'text',
  'data[].is_busy': 'number',
  'data[].builtin': 'bool',
  'data[].primary': 'bool',
  'data[].volte': 'bool',
  'data[].multi_apn': 'bool',
  'data[].operators_scan': 'bool',
  'data[].sc_band_av': 'text',
  'data[].service_modes': 'object',
  'data[].cell_info': 'list',
  'data[].ca_signal': 'list',
};

/** Interfaces with the fields of monitoring. */
export const INTERFACE_STATUS: Fields = {
  'data[].id': 'text',
  'data[].name': 'text',
  'data[].up': 'bool',
  'data[].ipaddrs': 'list',
  'data[].route': 'list',
  'data[].metric': 'number',
  'data[].area_type': 'text',
  'data[].network_type': 'text',
  'data[].uptime': 'number',
  'data[].rx_bytes': 'number',
  'data[].tx_bytes': 'number',
};

export const WIRELESS_STATUS: Fields = {
  'data[].id': 'text',
  'data[].ssid': 'text',
  'data[].mode': 'text',
  'data[].status': 'flag',
  'data[].up': 'bool',
  'data[].encryption': 'text',
  'data[].num_assoc': 'number',
  'data[].clients': 'list',
  'data[].assoclist': 'map',
};

export const POSITION: Fields = {
  'data.latitude': 'text',
  'data.longitude': 'text',
  'data.altitude': 'text',
  'data.speed': 'text',
  'data.angle': 'text',
  'data.satellites': 'text',
  'data.accuracy': 'text',
  'data.fix_status': 'text',
  'data.timestamp': 'text',
  'data.utc_timestamp': 'text',
};

export const MESSAGES: Fields = {
  'data[].id': 'text',
  'data[].modem_id': 'text',
  'data[].sender': 'text',
  'data[].message': 'text',
  'data[].status': 'text',
  'data[].date': 'text',
};

export const USAGE: Fields = {
  'data.memory.ram_total': 'number',
  'data.memory.ram_used': 'number',
  'data.memory.ram_free': 'number',
  'data.memory.ram_buffered': 'number',
  'data.memory.ram_shared': 'number',
  'data.memory.ram_percentage': 'number',
  'data.memory.flash_total': 'number',
  'data.memory.flash_used': 'number',
  'data.memory.flash_free': 'number',
  'data.memory.flash_percentage': 'number',
  'data.loadavg': 'number',
  'data.load.min1': 'number',
  'data.load.min5': 'number',
  'data.load.min15': 'number',
  'data.uptime': 'text',
  'data.uptime_seconds': 'number',
  'data.localtime': 'number',
};

export const IMAGE: Fields = Object.fromEntries(
  [
    'valid',
    'hw_support',
    'authorized',
    'passwd_warning',
    'newer',
    'allow_backup',
    'message_code',
    'size',
    'md5',
    'sha256',
    'fw_version',
  ].map((name) => [`data.${name}`, 'text']),
);

export const SMS = { number: '+37060000000', message: 'status', modem: '2-1' };
