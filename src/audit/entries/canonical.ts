/*
 * The bytes of a row that its leaf in the log holds: one line of JSON with all that the row says. The database writes it,
 * in the text form of `jsonb`: names sorted by length and then by bytes, numbers digit by digit as they are stored (a
 * reading through JavaScript would lose some). An export has these lines as they are, so an auditor hashes what he reads.
 */

/** The kinds of rows, as `audit_leaf.kind` numbers them. */
export const LEAF_KINDS = ['entry', 'outcome'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The canonical line of a row of `audit_entry`, which the query calls `entry`. */
const ENTRY = `jsonb_build_object('v', 1, 'type', 'entry', 'id', entry.id, 'at', ${instant('entry.opened_at')},
  'action', entry.action, 'actor', entry.actor, 'actor_name', entry.actor_name, 'request_id', entry.request_id,
  'address', entry.address, 'reason', entry.reason, 'device_id', entry.device_id, 'job_id', entry.job_id,
  'operation_id', entry.operation_id, 'subject', entry.subject, 'facts', entry.facts)::text`;

/** The same of `audit_outcome`, called `outcome`. */
const OUTCOME = `jsonb_build_object('v', 1, 'type', 'outcome', 'id', outcome.entry_id, 'at', ${instant('outcome.closed_at')},
  'outcome', outcome.outcome, 'facts', outcome.facts)::text`;

/**
 * The rows behind places of the log, which the query calls `leaf` and which have a `kind` and a `row_id`. The `case` spares
 * the look-up in the table that the row is not in: nothing is equal to null.
 */
export const JOIN_ROWS = `
  left join audit_entry entry on entry.id = case when leaf.kind = 0 then leaf.row_id end
  left join audit_outcome outcome on outcome.entry_id = case when leaf.kind = 1 then leaf.row_id end`;

/** With `JOIN_ROWS`: the canonical line of a row; null when the row is not there. */
export const LINE = `case when entry.id is not null then ${ENTRY} when outcome.entry_id is not null then ${OUTCOME} end`;

/** With `JOIN_ROWS`: when the row says that it was written, in milliseconds since 1970. */
export const WRITTEN_MS = 'extract(epoch from coalesce(entry.opened_at, outcome.closed_at))::float8 * 1000';
