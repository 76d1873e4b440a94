/*
 * The bytes of a row that its leaf's hash covers: one line of JSON with all columns. The database writes it, in the
 * text form of `jsonb`: names sorted by length and then by bytes, numbers with the digits as stored (a parse in
 * JavaScript would lose some). An export contains these lines unchanged, so an auditor hashes exactly what he reads.
 */

/** The kinds of rows, in the order of `audit_leaf.kind`. */
export const LEAF_KINDS = ['entry', 'outcome'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The canonical line of a row of `audit_entry`, aliased `entry`. */
const ENTRY = `jsonb_build_object('v', 1, 'type', 'entry', 'id', entry.id, 'at', ${instant('entry.opened_at')},
  'action', entry.action, 'actor', entry.actor, 'actor_name', entry.actor_name, 'request_id', entry.request_id,
  'address', entry.address, 'reason', entry.reason, 'device_id', entry.device_id, 'job_id', entry.job_id,
  'operation_id', entry.operation_id, 'subject', entry.subject, 'facts', entry.facts)::text`;

/** The canonical line of a row of `audit_outcome`, aliased `outcome`. */
const OUTCOME = `jsonb_build_object('v', 1, 'type', 'outcome', 'id', outcome.entry_id, 'at', ${instant('outcome.closed_at')},
  'outcome', outcome.outcome, 'facts', outcome.facts)::text`;

/** Joins the rows of leaves, aliased `leaf`. The `case` avoids the look-up in the other table: nothing equals null. */
export const JOIN_ROWS = `
  left join audit_entry entry on entry.id = case when leaf.kind = 0 then leaf.row_id end
  left join audit_outcome outcome on outcome.entry_id = case when leaf.kind = 1 then leaf.row_id end`;

/** With `JOIN_ROWS`: the canonical line of a row; null when the row is missing. */
export const LINE = `case when entry.id is not null then ${ENTRY} when outcome.entry_id is not null then ${OUTCOME} end`;

/** With `JOIN_ROWS`: the time in the row, in milliseconds since 1970. */
export const WRITTEN_MS = 'extract(epoch from coalesce(entry.opened_at, outcome.closed_at))::float8 * 1000';
