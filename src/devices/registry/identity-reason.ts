import { type DataSource } from 'typeorm';
import { type Device } from './device.entity.js';

/*
 * What a device says of its identity: whether another device shares a fact with it, and whether the gateway would notice
 * another device in its place. No sentence names the other device, which the reader may not see.
 */

/** What identifies a device. */
type IdentityFacts = Pick<
  Device,
  'id' | 'serial' | 'mac' | 'claimedSerial' | 'claimedMac' | 'serialUnreadable' | 'trust'
>;

/** The facts of a device that another device reports as its own. */
export interface ClaimedFacts {
  readonly serial: boolean;
  readonly mac: boolean;
}

/** The serial number by which a device is recognised: its own, or the one that it shares with another device. */
export const expectedSerial = ({ serial, claimedSerial }: Pick<Device, 'serial' | 'claimedSerial'>): string | null =>
  serial ?? claimedSerial;

export const NOT_CLAIMED: ClaimedFacts = { serial: false, mac: false };

/** @returns the sentence about a fact that two devices share; null when there is none */
export function conflictOf(device: Readonly<IdentityFacts>, claimed: ClaimedFacts): string | null {
  const { claimedSerial, claimedMac, serial, mac } = device;
  if (claimedSerial !== null) return `it reports the serial number ${claimedSerial}, which another device has, too`;
  if (claimed.serial) return `another device reports its serial number ${serial}, too`;
  if (claimedMac !== null) return `it reports the MAC address ${claimedMac}, which another device has, too`;
  return claimed.mac ? `another device reports its MAC address ${mac}, too` : null;
}

/** @returns why the identity of a device is in doubt; null when its serial number is known and compared */
export function identityReason(device: Readonly<IdentityFacts>, claimed: ClaimedFacts): string | null {
  const conflict = conflictOf(device, claimed);
  if (conflict !== null) return conflict;
  const rest = device.trust === 'insecure' ? 'nothing else recognises it' : 'only its certificate recognises it';
  if (device.serial === null) return `its serial number is not known: ${rest}`;
  return device.serialUnreadable ? `its serial number cannot be read with its account: ${rest}` : null;
}

/** Which of these devices have facts that another device claims; those without are omitted. */
export async function claimsOn(
  db: Pick<DataSource, 'query'>,
  devices: readonly Readonly<IdentityFacts>[],
): Promise<ReadonlyMap<string, ClaimedFacts>> {
  if (devices.length === 0) return new Map();
  const rows = await db.query<({ id: string } & ClaimedFacts)[]>(
    `select device.id, bool_or(claim.claimed_serial is not distinct from device.serial) as serial,
            bool_or(claim.claimed_mac is not distinct from device.mac) as mac
       from device claim
       join device on device.id = any($1::uuid[])
                  and (device.serial = claim.claimed_serial or device.mac = claim.claimed_mac)
      where claim.claimed_serial is not null or claim.claimed_mac is not null
      group by device.id`,
    [devices.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, serial, mac }) => [id, { serial, mac }]));
}
