import { type components } from '../../../../../src/api-client/openapi.js';

/* What each kind of job does on a router, and what it interrupts: said before each act in the same lines. */

export type Kind = components['schemas']['StartJob']['kind'];

interface Effect {
  readonly does: string;
  readonly interrupts: string;
}

const RESTARTS = 'The router and all behind it, for some minutes';
const OPTIONS = 'Depends on the service: changes of network and mobile settings can cut the connection';

const EFFECTS: Readonly<Record<Kind, Effect>> = {
  backup: { does: 'Stores the configuration of the device in the gateway', interrupts: 'Nothing' },
  call: { does: 'Sends one call, once, and proves its result', interrupts: 'What the call itself interrupts' },
  certificates: {
    does: 'The device makes certificates and keys',
    interrupts: 'Connections that use a certificate that is replaced',
  },
  configure: { does: 'Changes options, and takes them back when the device is lost', interrupts: OPTIONS },
  credentials: {
    does: 'A new password for the account with which the gateway signs in',
    interrupts: 'Other programs that use this account',
  },
  firmware: { does: 'Installs another firmware; the device restarts', interrupts: RESTARTS },
  move: {
    does: 'Calls the device at another address, once it is proved there',
    interrupts: 'Calls of the gateway, until the new address is proved',
  },
  reboot: { does: 'Restarts the device, and waits until it is back', interrupts: RESTARTS },
  reconcile: { does: 'Sets the device to what a template says', interrupts: OPTIONS },
  restore: { does: 'Puts a stored configuration back; the device restarts', interrupts: RESTARTS },
  upload: { does: 'Sends a stored file to the device', interrupts: 'Nothing' },
  users: {
    does: 'Adds, changes and removes accounts and groups',
    interrupts: 'Sessions of accounts that are changed or removed',
  },
};

export const effectOf = (kind: Kind): Effect => EFFECTS[kind];
