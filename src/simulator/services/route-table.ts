/* All routes that services declare; the router finds the one that answers. */
import type { Route } from '../http/route.js';
import { BACKUP_ROUTES } from './backup.js';
import { BARE_LIST_ROUTES } from './bare-lists.js';
import { CERTIFICATE_ROUTES } from './certificates.js';
import { FIRMWARE_ROUTES } from './firmware.js';
import { DATA_USAGE_ROUTES } from './mobile/data-usage.js';
import { MESSAGE_ROUTES } from './mobile/messages.js';
import { MODEM_ACTION_ROUTES } from './mobile/modem-actions.js';
import { MODEM_READ_ROUTES } from './mobile/modem-reads.js';
import { MODEM_STATUS_ROUTES } from './mobile/modem-status.js';
import { DIAGNOSTIC_ROUTES } from './network/diagnostics.js';
import { INTERFACE_ROUTES } from './network/interfaces.js';
import { NEIGHBOUR_ROUTES } from './network/neighbours.js';
import { TUNNEL_ROUTES } from './network/tunnels.js';
import { WIRELESS_ACTION_ROUTES } from './network/wireless-actions.js';
import { WIRELESS_ROUTES } from './network/wireless.js';
import { SESSION_ROUTES } from './session.js';
import { STATUS_ROUTES } from './status.js';
import { SYSTEM_ROUTES } from './system/device-status.js';
import { SETTINGS_ROUTES } from './system/settings.js';
import { USAGE_ROUTES } from './system/usage.js';
import { USER_ROUTES } from './users.js';

export const SERVICE_ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  ...SYSTEM_ROUTES,
  ...USAGE_ROUTES,
  ...USER_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...FIRMWARE_ROUTES,
  ...BACKUP_ROUTES,
  ...MODEM_STATUS_ROUTES,
  ...MODEM_READ_ROUTES,
  ...MODEM_ACTION_ROUTES,
  ...DATA_USAGE_ROUTES,
  ...MESSAGE_ROUTES,
  ...INTERFACE_ROUTES,
  ...NEIGHBOUR_ROUTES,
  ...WIRELESS_ROUTES,
  ...WIRELESS_ACTION_ROUTES,
  ...STATUS_ROUTES,
  ...SETTINGS_ROUTES,
  ...DIAGNOSTIC_ROUTES,
  ...TUNNEL_ROUTES,
  ...BARE_LIST_ROUTES,
];
