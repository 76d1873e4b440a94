/* SIM cards, modems, positioning and text messages. */
import {
  choice,
  flag,
  flags,
  lists,
  number,
  secrets,
  text,
  texts,
  type DeclarationInputs,
  type DeclaredOptions,
  FIXED,
} from './forms.js';

const BANDS = 'gsm umts lte lte_nb nr5g nr5g_sa';

/** Of a card, whichever path leads to it. */
const CARD: DeclaredOptions = {
  modem: { type: 'text', readOnly: true },
  position: { type: 'text', readOnly: true },
  primary: { type: 'flag', single: true },
  service: { type: 'enum', values: ['2g', '3g', '3g_pref', 'lte', 'lte_pref', 'nr5g_pref'] },
  volte: choice(['auto', 'on', 'off']),
  band: choice(['auto', 'manual']),
  operator: choice(['auto', 'manual', 'manual-auto']),
  nr5g_mode: choice(['auto', 'nsa', 'sa']),
  opermode: choice(['whitelist', 'blacklist']),
  sms_limit: choice(['day', 'week', 'month']),
  opernum: { type: 'text', min: 5, max: 6 },
  deny_roaming: flag(),
  operlist: flag(),
  enable_sms_limit: flag(),
  signal_reset_enabled: flag(),
  ...lists(BANDS),
  ...secrets('pincode pukcode'),
  // Strict clients need these five.
  signal_reset_threshold: { type: 'text', default: '-120', max: 8 },
  signal_reset_timeout: number(1, 3600, 60),
  operlist_name: { type: 'text', default: 'default', max: 64, shownEmpty: true },
  sms_limit_num: number(0, 100_000, 100),
  period: { type: 'text', default: '1', max: 8 },
  ...texts('esim_profile category_lte'),
};

const CARDS = [
  { id: '1', modem: '{modem}', position: '1', primary: '1', service: '{service}' },
  { needs: 'dualSim', id: '2', modem: '{modem}', position: '2', primary: '0', service: '{service}' },
  { needs: 'dualModem', id: '2', modem: '{secondModem}', position: '1', primary: '1', service: '{service}' },
];

const card = {
  type: 'sim',
  ...FIXED,
  needs: 'modem',
  options: CARD,
  initial: CARDS,
} satisfies Partial<DeclarationInputs[number]>;

/** Of each system of satellites: GPS, GLONASS, Galileo, BeiDou (`PQ`), and several together (`GN`). */
const SENTENCES = 'GPGGA GPGLL GPGSA GPGSV GPRMC GPVTG GLGSV GNGSA GNGNS GAGSV PQGSV PQGSA'.split(' ');

export const MOBILE: DeclarationInputs = [
  { path: 'sim_cards', summary: 'SIM cards', ...card },
  { path: 'modems/{parent}/sim_cards', summary: 'SIM cards of one modem', stores: 'sim_cards', ...card },
  {
    path: 'modems/{parent}',
    kind: 'record',
    type: 'modem',
    summary: 'Settings of one modem',
    needs: 'modem',
    options: { modem: { type: 'text', readOnly: true }, flight_mode: flag() },
    initial: [{ id: 'modem', modem: '{parent}' }],
  },
  {
    path: 'esim',
    type: 'esim',
    summary: 'Profiles of built-in cards',
    ...FIXED,
    needs: 'modem',
    filters: ['modem'],
    options: { name: text(64), modem: { type: 'text', readOnly: true }, profile_set: { type: 'flag', single: true } },
    initial: [
      { needs: 'esim', id: '1', name: 'Testnet LT', modem: '{modem}', profile_set: '1' },
      { needs: 'esim', id: '2', name: 'Example Mobile', modem: '{modem}', profile_set: '0' },
    ],
  },
  {
    path: 'gps',
    kind: 'record',
    type: 'gps',
    summary: 'Positioning',
    needs: 'gps',
    options: {
      enabled: flag('1'),
      galileo_sup: flag('1'),
      glonass_sup: flag('1'),
      beidou_sup: flag(),
      ...flags('dpo_enabled mode'),
      ...texts('interval timeout'),
    },
    initial: [{ id: 'gps' }],
  },
  {
    path: 'gps/nmea',
    type: 'nmea',
    summary: 'Where sentences are sent',
    ...FIXED,
    needs: 'gps',
    options: { enabled: flag(), port: { type: 'port' }, proto: choice(['tcp', 'udp']), hostname: { type: 'host' } },
    initial: [{ id: 'nmea_forwarding' }],
  },
  {
    path: 'gps/nmea/rules',
    type: 'nmea_rule',
    summary: 'Which sentences are sent',
    ...FIXED,
    needs: 'gps',
    options: { forwarding_enabled: flag(), forwarding_interval: number(1, 255, 5) },
    initial: SENTENCES.map((id) => ({ id })),
  },
  {
    path: 'sms_utilities/rules',
    type: 'rule',
    summary: 'What a text message makes the device do',
    ids: 'generated',
    needs: 'modem',
    maxSections: 64,
    options: {
      enabled: flag('1'),
      action: { type: 'text', max: 32, required: true },
      smstext: { type: 'text', max: 64, required: true },
      authorization: choice(['no', 'serial', 'password', 'local']),
      allowed_phone: choice(['all', 'group', 'single']),
      ...secrets('password'),
      ...flags('respond status_sms to_other_phone value timeout ssh_access remote_ssh_access web_access'),
      ...flags('remote_web_access write_wifi write_mobile'),
      ...lists('to_number methods'),
      ...texts('tel group message modem_id simcard io seconds script acl_mode mac'),
    },
    initial: [
      { id: 'reboot', action: 'reboot', smstext: 'reboot', authorization: 'serial' },
      { id: 'status', action: 'send_status', smstext: 'status', authorization: 'serial', status_sms: '1' },
    ],
  },
  {
    path: 'recipients/phone_groups',
    type: 'group',
    summary: 'Groups of phone numbers',
    ids: 'generated',
    options: { name: text(64), ...lists('tel') },
  },
  {
    path: 'recipients/email_users',
    type: 'email',
    summary: 'Accounts that send mail',
    ids: 'generated',
    options: {
      ...flags('secure_conn credentials do_not_verify'),
      smtp_port: { type: 'port' },
      ...secrets('password'),
      ...texts('name smtp_ip username senderemail ca_file'),
    },
  },
];
