import { type EntityManager } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { parseRef, refSql } from './device-ref.js';
import { type MatchedDevice } from './matched-device.js';

/** Reads the device of a reference. @throws AppError `device_not_found`, `invalid_input` */
export async function getNamedDevice(db: Pick<EntityManager, 'query'>, ref: string): Promise<MatchedDevice> {
  const condition = parseRef(ref);
  const [device] = await db.query<MatchedDevice[]>(
    `select id, name, serial, mac, model, firmware, network_operator as "networkOperator", site, tags, fields, profile,
            state, trust, seen_at as "seenAt"
       from device where ${refSql(condition, '$1')}`,
    [condition.value],
  );
  if (!device) throw new AppError('device_not_found');
  return device;
}
