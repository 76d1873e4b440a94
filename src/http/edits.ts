import { type EntityManager, type EntityTarget, type FindOptionsWhere, type ObjectLiteral } from 'typeorm';
import { AppError, type ErrorCode } from '../platform/errors.js';

/*
 * Every edit locks the row, compares its version, then writes. Without the lock the version may change between the
 * comparison and the write, and the later editor silently undoes the change of the earlier one.
 */

/** Locked until the transaction ends. @throws AppError `missing` */
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
 * @param ifMatch the result of `readIfMatch`; null accepts any version
 * @param version undefined where there is no row yet
 * @throws AppError `version_changed`
 */
export function requireVersion(ifMatch: number | null, version: number | undefined): void {
  if (ifMatch === null || ifMatch === version) return;
  throw new AppError('version_changed', version === undefined ? {} : { version });
}

/** Locks the row of an edit and compares its version. @throws AppError `missing`, `version_changed` */
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
