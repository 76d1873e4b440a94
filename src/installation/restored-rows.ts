import { type Client } from 'pg';

/*
 * Rows that must change when they are restored in another place and time. All of this is in the transaction of the
 * restore.
 */

/**
 * Devices went on after the backup was made, and what was sent to them since is not in it. Until a person has looked,
 * nothing is written to any of them. Sign-ins of that time end.
 * @param madeAt when the backup was made, in ISO 8601
 */
export async function holdBack(db: Client, madeAt: string): Promise<void> {
  await db.query('delete from operator_session');
  await db.query(
    `insert into lock (id, kind, target, reason, created_at, created_by, created_by_name, ends_at)
     values (gen_random_uuid(), 'writes', null, $1, now(), 'system:restore', 'restore', null)`,
    [`Restored from the backup of ${madeAt}. Compare jobs and devices, then lift this lock.`],
  );
}

/**
 * Places of events are transaction numbers of the server that they were written on. On this server they would lie in the
 * future, where no webhook and no stream finds what comes after them: all events move into the transaction of the restore,
 * in their order. A webhook goes on with the first event that it has not passed.
 */
export async function moveEvents(db: Client): Promise<void> {
  await db.query(
    `update webhook set seen_id = coalesce(
       (select min(id) - 1 from event where (tx, id) > (webhook.seen_tx, webhook.seen_id)), (select max(id) from event), 0)`,
  );
  await db.query('update webhook set seen_tx = pg_current_xact_id()');
  await db.query('update webhook_delivery set event_tx = pg_current_xact_id()');
  await db.query('update event set tx = pg_current_xact_id()');
}
