import { type components } from '../../../../../src/api-client/api-client.js';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';

/* A search of networks in words. */

type Schemas = components['schemas'];
type Run = Pick<Schemas['Discovery'], 'state' | 'addresses' | 'searched' | 'found' | 'logins' | 'failure'>;

const FAILURES: Readonly<Record<NonNullable<Run['failure']>, string>> = {
  starter_may_not: 'The person who started it may no longer search networks.',
  quarantined: 'Three processes of the gateway ended while they worked on it.',
  secret_unreadable: 'The gateway can no longer read the login that was given. Start it again.',
};

/** Of devices that answered, how many are registered: a part of a sentence. */
const knownText = (known: number, devices: number): string => {
  if (devices === 1) return 'it is registered already';
  if (known === devices) return 'all of them are registered already';
  return `${numberText(known)} of them ${pluralText(known, 'is', 'are')} registered already`;
};

/**
 * What came of a search so far.
 * @param known how many of the devices that answered are registered; null: not all were read
 */
export function searchText({ state, addresses, searched, found, logins }: Run, known: number | null): string {
  const isAll = searched === addresses;
  const asked = `${isAll ? '' : `${numberText(searched)} of `}${countText(addresses, 'address', 'addresses')} asked`;
  const begin =
    state === 'queued' ? 'It waits for another search' : state === 'cancelled' ? `Cancelled: ${asked}` : asked;
  const answered = found.devices === 0 ? 'no device answered' : `${countText(found.devices, 'device')} answered`;
  const parts = [
    begin,
    state === 'queued' ? '' : answered,
    known ? knownText(known, found.devices) : '',
    logins.refused > 0 ? `${countText(logins.refused, 'login')} refused` : '',
    found.others > 0 ? `something else answered at ${countText(found.others, 'address', 'addresses')}` : '',
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

/** What a search asks: `256 addresses, each at up to 2 ports`. @param ports 0: those of the gateway @returns null where no network can be read yet */
export function effortText(networks: readonly string[], ports: number): string | null {
  const sizes = networks.map(addressesIn);
  if (sizes.length === 0 || sizes.includes(null)) return null;
  const sum = sizes.reduce<number>((all, one) => all + one!, 0);
  const where = ports === 0 ? 'the usual ports' : ports === 1 ? 'one port' : `up to ${countText(ports, 'port')}`;
  return `${countText(sum, 'address', 'addresses')}, each at ${where}`;
}

/** An address alone is one; of a network, what its length leaves. */
function addressesIn(network: string): number | null {
  const [, host = '', length] = /^([\da-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(network) ?? [];
  const bits = host.includes(':') ? 128 : 32;
  if (host === '' || Number(length ?? bits) > bits) return null;
  return 2 ** (bits - Number(length ?? bits));
}

/** Why a search failed; null: it did not. */
export const searchFailure = ({ failure }: Run): string | null => failure && FAILURES[failure];

/** Why a device that answered is not registered by this search; null: it can be. */
export function whyNot({ known }: Pick<Schemas['DiscoveredAddress'], 'known'>): string | null {
  if (known === null) return null;
  if (!known.pinMatches) return 'registered, and shows another certificate than before';
  if (known.by === 'serial') return 'registered: a device has its serial number';
  return known.by === 'mac' ? 'registered: a device has its MAC address' : 'registered at this address';
}

const LOGINS: Readonly<Record<string, string>> = {
  granted: 'login accepted',
  refused: 'login refused: it is registered without one',
  unclear: 'no clear answer to the login: it is registered without one',
};

/** What a device that can be registered said to the login. */
export const loginText = (login: string | null): string =>
  login === null ? 'no login tried' : (LOGINS[login] ?? login);

/** Networks as they are typed; an address alone is a network of one. */
export const readNetworks = (text: string): readonly string[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((one) => (one.includes('/') ? one : `${one}/${one.includes(':') ? 128 : 32}`));

/** Ports as they are typed; null: one of them is none. */
export function readPorts(text: string): readonly number[] | null {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  const ports = parts.map(Number);
  return ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535) ? ports : null;
}
