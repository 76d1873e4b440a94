/* The interfaces and the clients of a device, from what it says of itself. It chooses its answers, so each value is checked. Pure. */

import { canonicalMac } from '../../../../src/device-api/mac.js';

export interface Link {
  readonly id: string;
  readonly addresses: readonly string[];
  /** null: the device does not say it. */
  readonly isUp: boolean | null;
  /** Bytes a second since the reading before; null before a second one. */
  readonly received: number | null;
  readonly sent: number | null;
  readonly upSeconds: number | null;
}

export interface Client {
  readonly name: string | null;
  readonly address: string;
  readonly mac: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Of one reading. */
export interface InterfacesAt {
  /** Milliseconds. */
  readonly at: number;
  readonly interfaces: unknown;
}

const MOST = 256;

/** @param before the reading before this one */
export function linksOf(now: InterfacesAt, before: InterfacesAt | null): readonly Link[] {
  const earlier = new Map(before ? listOf(before.interfaces).map((one) => [nameOf(one), one] as const) : []);
  const seconds = before ? (now.at - before.at) / 1_000 : 0;
  const rate = (one: Fields, counter: string): number | null => {
    const [last, first] = [countOf(one[counter]), countOf(earlier.get(nameOf(one))?.[counter])];
    // A counter that has fallen began again.
    return last === null || first === null || last < first || seconds <= 0 ? null : (last - first) / seconds;
  };
  return listOf(now.interfaces).flatMap((one) => {
    const id = nameOf(one);
    if (id === null) return [];
    const isUp = [one['up'], one['is_up']].find((value) => typeof value === 'boolean') ?? null;
    const upSeconds = countOf(one['uptime']);
    return [
      {
        id,
        addresses: textsOf(one['ipaddrs']).map((address) => address.replace(/\/\d+$/, '')),
        isUp,
        received: isUp ? rate(one, 'rx_bytes') : null,
        sent: isUp ? rate(one, 'tx_bytes') : null,
        upSeconds: isUp && upSeconds ? upSeconds : null,
      },
    ];
  });
}

/** Those with an address of the router, by their names; those without one at the end. */
export function clientsOf(leases: unknown): readonly Client[] {
  const clients = listOf(leases).flatMap((one) => {
    const [address, mac] = [textOf(one['ipaddr']), textOf(one['macaddr'])];
    return address === null ? [] : [{ name: textOf(one['hostname']), address, mac: mac && (canonicalMac(mac) ?? mac) }];
  });
  return clients.toSorted((one, other) =>
    one.name === null || other.name === null
      ? Number(one.name === null) - Number(other.name === null)
      : NATURAL.compare(one.name, other.name),
  );
}

const NATURAL = new Intl.Collator('en', { numeric: true });

const UNITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s'] as const;

/** Bytes a second as lines are sold: `1.2 Mbit/s`. */
export function rateText(bytesASecond: number): string {
  let [unit, value] = [0, bytesASecond * 8];
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

const nameOf = (one: Fields): string | null => textOf(one['name']) ?? textOf(one['id']);

/** Some firmware writes numbers as texts. */
function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' && value !== '*' ? value.trim().slice(0, 64) : null;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.slice(0, 4).flatMap((one) => textOf(one) ?? []) : [];

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value)
    ? value
        .slice(0, MOST)
        .filter((one): one is Fields => typeof one === 'object' && one !== null && !Array.isArray(one))
    : [];
