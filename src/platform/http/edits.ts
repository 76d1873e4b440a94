import { type EntityManager, type EntityTarget, type FindOptionsWhere, type ObjectLiteral } from 'typeorm';
import { AppError, type ErrorCode } from '../errors.js';

/*
 * Lock the row, compare, write: every change of something that people edit. A version that is compared without the lock
 * may be another one when the change is written, and then the later of two editors undoes the earlier one unseen.
 */

/**
 * Reads a row and holds it until the transaction ends.
 * @throws AppError `missing`
 */
export async function lockRow<Row extends ObjectLiteral>(
  tx: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  missing: ErrorCode,
): Promise<Row> {
  const row = await tx.findOne(entity, { where, lock: { mode: 'pessimistic_write' } });
  if (!row) throw new AppError(missing);
  return row;
}

/**
 * Compares If-Match with the version of a locked row.
 * @param ifMatch what `readIfMatch` gave; null: any version will do
 * @param version undefined where there is no row yet
 * @throws AppError `version_changed`
 */
export function requireVersion(ifMatch: number | null, version: number | undefined): void {
  if (ifMatch === null || ifMatch === version) return;
  throw new AppError('version_changed', version === undefined ? {} : { version });
}

/** Both: the row of an edit. @throws AppError `missing`, `version_changed` */
export async function lockVersion<Row extends ObjectLiteral & { version: number }>(
  tx: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  ifMatch: number | null,
  missing: ErrorCode,
): Promise<Row> {
  const row = await lockRow(tx, entity, where, missing);
  requireVersion(ifMatch, row.version);
  return row;
}
