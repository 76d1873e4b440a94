import { type EntityManager } from 'typeorm';
import { type DiscoveryFind } from './discovery.entity.js';

/** A device of the registry that a find is, or claims to be. */
export interface KnownDeviceOf {
  readonly deviceId: string;
  readonly by: 'baseUrl' | 'serial' | 'mac';
}

/** Identifiers of real devices are the serial number, or 24 digits that end with it. */
const SERIAL_DIGITS = 10;

/**
 * Finds the device of the registry by identity (serial number, MAC), or else by its address. Rights do not count here.
 * @returns null for a new device
 */
export async function findKnown(
  tx: Pick<EntityManager, 'query'>,
  { baseUrl, serial, mac, identifier }: Pick<DiscoveryFind, 'baseUrl' | 'serial' | 'mac' | 'identifier'>,
): Promise<KnownDeviceOf | null> {
  const claimed = identifier === null ? [] : [identifier, identifier.slice(-SERIAL_DIGITS)];
  const serials = serial === null ? claimed : [serial]; // what was shown after a login counts alone
  const [known] = await tx.query<KnownDeviceOf[]>(
    `select id as "deviceId",
            case when serial = any ($2) then 'serial' when mac = $3 then 'mac' else 'baseUrl' end as by
       from device where base_url = $1 or serial = any ($2) or mac = $3
      order by serial = any ($2) desc nulls last, mac = $3 desc nulls last limit 1`,
    [baseUrl, serials, mac],
  );
  return known ?? null;
}
