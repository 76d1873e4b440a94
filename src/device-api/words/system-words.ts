import type { ServiceTable } from './words.js';

/* System: the router itself, who may use it, and its clock. */

const CLIENT_OPTIONS = {
  enabled: 'On',
  interval: { title: 'Set the clock every', range: [10, 86_400], unit: 'seconds' },
} as const;

const TIME_SERVERS = {
  title: 'Time servers',
  id: 'made',
  one: 'server',
  options: { hostname: { title: 'Host name', example: '0.pool.ntp.org' } },
} as const;

const ZONE = { title: 'Time zone', example: 'Europe/Vilnius' } as const;

export const SYSTEM_WORDS: ServiceTable = {
  system: {
    title: 'General settings',
    summary: ['{devicename}', 'host name {hostname}'],
    options: {
      devicename: { title: 'Name of the router', help: '1 to 64 characters.' },
      hostname: { title: 'Host name', example: 'router-1' },
      lang_code: { title: 'Language of its web pages', example: 'en' },
      session_timeout: { title: 'Sessions of its web pages end after', range: [60, 86_400], unit: 'seconds' },
      api_session_timeout: { title: 'Sessions of its API end after', range: [60, 86_400], unit: 'seconds' },
      advanced: 'Advanced mode of its web pages',
      notifications_enabled: 'Notifications',
      alerts_enabled: 'Alerts',
      data_analytics: { title: 'Send usage data to the vendor' },
      firstlogin: 'First login is still to come',
    },
  },
  'system/device/global': {
    title: 'Name of the router',
    options: {
      device_name: { title: 'Name', help: '1 to 64 characters.' },
      hostname: { title: 'Host name', example: 'router-1' },
    },
  },
  'system/led': { title: 'Lamps', options: { enabled: 'On' } },
  'system/buttons': {
    title: 'Reset button',
    called: ['handler'],
    summary: ['pressed {min} to {max} seconds'],
    one: 'action',
    help: 'What the button does, by the seconds that it is pressed.',
    options: {
      enabled: 'On',
      handler: {
        title: 'Action',
        values: { reboot: 'Restart', default: 'Defaults of the user', firstboot: 'Defaults of the factory' },
      },
      min: { title: 'Pressed at least', range: [0, 60], unit: 'seconds' },
      max: { title: 'Pressed at most', range: [0, 60], unit: 'seconds' },
      action: 'Button',
    },
  },
  'system/banner': {
    title: 'Text before the login',
    options: { enabled: 'On', title: 'Title', message: 'Text' },
  },
  'access_control/global': {
    title: 'Access to the router itself',
    help: 'The gateway reaches the router by HTTPS. A wrong port cuts it off.',
    options: {
      https_port: { title: 'HTTPS port', range: [1, 65_535] },
      http_port: { title: 'HTTP port', range: [1, 65_535] },
      https_remote: { title: 'HTTPS from outside', help: 'Reachable from the WAN.' },
      redirect_https: 'Lead HTTP to HTTPS',
      ssh_enabled: 'SSH',
      ssh_remote: { title: 'SSH from outside', help: 'Reachable from the WAN.' },
    },
  },
  'access_control/webui': { title: 'Web pages' },
  'access_control/ssh': { title: 'SSH', help: 'Who reaches the command line of the router, and at which port.' },
  'access_control/cli': { title: 'Command line' },
  'access_control/telnet': { title: 'Telnet' },
  'access_control/pam': { title: 'Authentication (PAM)' },
  'access_control/security': { title: 'Security' },
  'access_control/security/attempts': { title: 'Failed logins' },
  'ntp/global': { title: 'Clock', options: { ...CLIENT_OPTIONS, zone_name: ZONE } },
  'ntp/servers': TIME_SERVERS,
  'date_time/ntp/client': {
    title: 'Time client',
    options: { ...CLIENT_OPTIONS, zoneName: ZONE, sync_enabled: 'Set the clock by the mobile network' },
  },
  'date_time/ntp/time_servers': TIME_SERVERS,
  'date_time/ntpd': { title: 'Time server' },
  logging: { title: 'Logging' },
  profiles: {
    title: 'Profiles',
    summary: ['{active}'],
    id: 'given',
    one: 'profile',
    help: 'Whole configurations that the router can change between.',
    options: { name: 'Name', active: 'In use' },
  },
  'profiles/scheduler': { title: 'Profiles by the clock', one: 'change' },
  'certificates/certs': { title: 'Certificates', one: 'certificate' },
  'certificates/ca': { title: 'Authorities', one: 'authority' },
  'certificates/client': { title: 'Client certificates', one: 'certificate' },
  'certificates/server': { title: 'Server certificates', one: 'certificate' },
  'certificates/keys': { title: 'Keys', one: 'key' },
  'certificates/dh': { title: 'Diffie-Hellman parameters' },
  'certificates/root_ca': { title: 'Known authorities', one: 'authority' },
  'users/groups': { title: 'Groups', one: 'group' },
  users: {
    title: 'Users',
    one: 'user',
    summary: ['group {group}'],
    help: 'Accounts of the router itself, and their groups.',
  },
  'package_manager/restore': { title: 'Packages' },
  troubleshoot: { title: 'Troubleshooting' },
  uscripts: { title: 'Scripts at start' },
  console: { title: 'Console' },
};
