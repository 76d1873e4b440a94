import type { ServiceTable } from './words.js';

/* Network: SIM cards and modems. */

/** Of a card, whichever path leads to it. */
const CARD = {
  primary: { title: 'Used first', help: 'One card of a modem is: the others are switched off then.' },
  position: 'Slot',
  modem: 'Modem',
  service: {
    title: 'Network type',
    values: {
      '2g': '2G only',
      '3g': '3G only',
      '3g_pref': '3G preferred',
      lte: '4G only',
      lte_pref: '4G preferred',
      nr5g_pref: '5G preferred',
    },
  },
  pincode: { title: 'PIN', help: 'Three wrong ones lock the card.' },
  deny_roaming: { title: 'No roaming', help: 'No data in networks of other operators.' },
  operator: {
    title: 'Choice of operator',
    values: { auto: 'Automatic', manual: 'Manual', 'manual-auto': 'Manual, automatic where it fails' },
  },
  opernum: { title: 'Operator code', help: 'Five or six digits.', example: '24601' },
  band: { title: 'Bands', values: { auto: 'Automatic', manual: 'Those below' } },
  lte: '4G bands',
  nr5g: '5G bands',
  nr5g_sa: '5G SA bands',
  umts: '3G bands',
  gsm: '2G bands',
  lte_nb: 'NB-IoT bands',
  volte: { title: 'VoLTE', values: { auto: 'Automatic', on: 'On', off: 'Off' } },
  nr5g_mode: { title: '5G mode', values: { auto: 'Automatic', nsa: 'Non-standalone', sa: 'Standalone' } },
  enable_sms_limit: 'Limit text messages',
  sms_limit_num: { title: 'Text messages at most', range: [0, 100_000] },
  sms_limit: { title: 'In each', values: { day: 'Day', week: 'Week', month: 'Month' } },
  period: 'Begin of the period',
  signal_reset_enabled: { title: 'Reconnect at a weak signal' },
  signal_reset_threshold: { title: 'Weak signal', unit: 'dBm', example: '-120' },
  signal_reset_timeout: { title: 'Weak for', range: [1, 3600], unit: 'seconds' },
  operlist: 'Use a list of operators',
  operlist_name: 'List of operators',
  opermode: {
    title: 'The list says',
    values: { whitelist: 'Which operators are used', blacklist: 'Which ones are not' },
  },
  pukcode: 'PUK',
  esim_profile: 'eSIM profile',
} as const;

const CARD_SUMMARY = ['{primary}', '{service}', 'operator: {operator}', '{deny_roaming}'] as const;

export const MOBILE_WORDS: ServiceTable = {
  sim_cards: {
    title: 'SIM cards',
    called: ['position'],
    summary: CARD_SUMMARY,
    one: 'SIM card',
    help: 'APN, PIN and roaming of each card. A wrong APN may cut the router off.',
    options: CARD,
  },
  'modems/{parent}/sim_cards': {
    title: 'SIM cards of the modem',
    called: ['position'],
    summary: CARD_SUMMARY,
    one: 'SIM card',
    options: CARD,
  },
  'modems/{parent}/global': {
    title: 'Modem',
    options: {
      flight_mode: { title: 'Flight mode', help: 'Switches the modem off: a router without a cable is cut off.' },
      modem: 'Modem',
    },
  },
  esim: {
    title: 'eSIM profiles',
    summary: ['{profile_set}', 'modem {modem}'],
    one: 'profile',
    options: {
      name: 'Name',
      modem: 'Modem',
      profile_set: { title: 'In use', help: 'The other profiles are switched off.' },
    },
  },
  operator_lists: { title: 'Lists of operators', one: 'list' },
  apn_database: { title: 'APNs', one: 'APN' },
  data_limit: { title: 'Data limits', one: 'limit' },
  sim_switch: { title: 'Change of SIM cards' },
  sim_idle_protection: { title: 'Use of idle SIM cards' },
};
