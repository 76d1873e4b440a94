import { countText, numberText } from '../../api/amount-text.js';

/* Why a device does not answer, in words, from the reason that the gateway stored. Pure: lists and the page of a device use it. */

/** Where the way to the device ends. */
export type OutageStage = 'name' | 'tcp' | 'tls' | 'answer' | 'login';

export interface Cause {
  readonly stage: OutageStage;
  /** For a list, such as `time-out at TLS`. */
  readonly short: string;
  readonly title: string;
  /** What a person can do, the most likely first. */
  readonly todo: readonly string[];
}

type Row = readonly [reason: RegExp, stage: OutageStage, short: string, title: string, ...todo: string[]];

const CAUSES: readonly Row[] = [
  [
    /ENOTFOUND|EAI_AGAIN|no address/,
    'name',
    'name not found',
    'The name in its address leads nowhere.',
    'Check the name in the address of the device.',
    'Check the name server of the gateway: other devices with names would fail, too.',
  ],
  [
    /ECONNREFUSED/,
    'tcp',
    'port closed',
    'The connection is refused: nothing listens on the port.',
    'Check whether the web server of the router runs, and on which port.',
    'Check whether another machine has this address now.',
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
    'tcp',
    'no route',
    'There is no route from the gateway to its network.',
    'Check the VPN or the route to this network.',
    'Check whether the router has power and a mobile network.',
  ],
  [
    /^timeout: (?:connect|ETIMEDOUT)|ETIMEDOUT/,
    'tcp',
    'no connection',
    'Nothing answers at its address.',
    'Check whether the router has power and a mobile network.',
    'Check whether its address has changed, and whether a firewall drops the connection.',
  ],
  [
    /^timeout: tls/,
    'tls',
    'time-out at TLS',
    'The router takes the connection, but TLS does not complete in time.',
    'The router may be overloaded: look at its load, or restart it.',
    'A link that loses large packets does this, too: check the MTU of the VPN.',
  ],
  [
    /ECONNRESET|EPIPE|closed while connecting/,
    'tls',
    'connection closed',
    'The connection is closed before it is complete.',
    'Check whether the router limits connections, or blocks the address of the gateway.',
    'Check whether a firewall or a proxy between them closes it.',
  ],
  [
    /^tls/,
    'tls',
    'TLS failed',
    'The router takes the connection, but TLS fails.',
    'Compare its certificate with the trust of the device.',
    'Very old firmware offers no TLS that the gateway accepts: update it at the site.',
  ],
  [
    /another device|identity/i,
    'login',
    'another device',
    'Another device answers at its address.',
    'If the hardware was replaced, choose “Replace hardware”.',
    'Otherwise correct the address of the device.',
  ],
  [
    /^timeout/,
    'answer',
    'no answer in time',
    'The router takes the connection, but does not answer in time.',
    'The router may be overloaded: look at its load, or restart it.',
  ],
];

const UNKNOWN: Cause = {
  stage: 'answer',
  short: 'no answer',
  title: 'The gateway knows no reason.',
  todo: ['Check whether the router has power and a network.'],
};

/** Whether the stored reason says more than that there was no answer. */
export const isKnown = (cause: Cause): boolean => cause !== UNKNOWN;

/** @param reason as the gateway stores it, such as `timeout: tls` */
export function causeOf(reason: string | null): Cause {
  const found = CAUSES.find(([pattern]) => pattern.test(reason ?? ''));
  if (!found) return UNKNOWN;
  const [, stage, short, title, ...todo] = found;
  return { stage, short, title, todo };
}

const STAGES: readonly OutageStage[] = ['name', 'tcp', 'tls', 'answer', 'login'];

export interface ShownStage {
  readonly stage: OutageStage;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly ms: number | null;
  readonly detail: string | null;
}

/** The stages of the last check of the gateway, of which it stores the failed one alone. */
export function storedStages({ stage: failed }: Cause): ShownStage[] {
  const at = STAGES.indexOf(failed);
  return STAGES.map((stage, index) => ({
    stage,
    outcome: index < at ? 'passed' : index === at ? 'failed' : 'skipped',
    ms: null,
    detail: null,
  }));
}

export interface Neighbours {
  readonly by: 'site' | 'network';
  readonly name: string;
  readonly devices: number;
  readonly online: number;
  readonly offline: number;
  /** Those that are neither, where they are so few that they are named. */
  readonly others: readonly { readonly id: string; readonly name: string }[];
}

/** How the devices beside it are, and what that means. It ends with a colon where names follow. */
export function neighbourText({ by, name, devices, online, offline, others: named }: Neighbours): string {
  const place = by === 'site' ? `at ${name}` : `in ${name}`;
  const others = devices === 1 ? `The other device ${place}` : `The ${countText(devices, 'other')} ${place}`;
  if (online === devices) return `${others} ${devices === 1 ? 'is' : 'are'} online: the fault is at this device.`;
  if (offline === devices) {
    const look = by === 'site' ? 'look at the power and the link of the site first' : 'look at the way to this network';
    return `${others} ${devices === 1 ? 'is' : 'are'} offline, too: ${look}.`;
  }
  const rest = devices - online - offline;
  const counts = [`${numberText(online)} online`, `${numberText(offline)} offline`];
  // So that the counts add up: new, refused, or with another certificate.
  if (rest > 0) counts.push(`${numberText(rest)} not checked or not trusted`);
  return `${others}: ${counts.join(', ')}${named.length > 0 ? ':' : '.'}`;
}
