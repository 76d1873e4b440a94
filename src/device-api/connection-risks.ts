/*
 * Changes that can disconnect a device from the gateway, so that the gateway cannot undo them. One table; a path that is
 * not in it counts as harmless. Pure.
 */

type Action = 'create' | 'update' | 'delete';

interface Risk {
  /** What follows `/api/` in a canonical path. */
  readonly path: RegExp;
  /** A new item of some services harms nothing. */
  readonly actions?: readonly Action[];
  readonly reason: string;
}

const RISKS: readonly Risk[] = [
  {
    path: /^(?:interfaces|network|vlan|bridge|switch|ports)\//,
    reason: 'the device is reached at the address of one of its interfaces',
  },
  {
    path: /^(?:routing|routes|static_routes|failover|multiwan|load_balancing|policy_routing)\//,
    reason: 'routes decide the path of the answers of the device',
  },
  { path: /^firewall\//, reason: 'the firewall decides whether the gateway has access' },
  {
    path: /^(?:access_control|webserver|uhttpd|web_server|certificate_access)\//,
    reason: 'it decides the port and the clients of the device’s web server',
  },
  {
    path: /^users\//,
    reason: 'the group of the account that the gateway logs in with may lose its rights',
  },
  {
    path: /^(?:wireless|modems|sim_cards|mobile|apn|sim_switch)\//,
    actions: ['update', 'delete'],
    reason: 'the device may be reached through this radio or modem',
  },
  {
    path: /^(?:wireguard|openvpn|ipsec|l2tp|pptp|sstp|gre|zerotier|tailscale|tinc|dmvpn|stunnel)\//,
    actions: ['update', 'delete'],
    reason: 'the device may be reached through this tunnel',
  },
  { path: /^profiles\//, reason: 'a profile replaces the complete configuration' },
];

/** Why a change can disconnect the device; null: it cannot. @param path without the beginning `/api/` */
export const riskOf = (path: string, action: Action): string | null =>
  RISKS.find((one) => one.path.test(path) && (one.actions?.includes(action) ?? true))?.reason ?? null;
