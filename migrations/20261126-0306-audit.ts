import { type QueryRunner } from 'typeorm';

/** The audit: opened before an effect, closed after it, and never changed. */
export class Audit1795662360000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table audit_entry (
        id           uuid        not null constraint audit_entry_pkey primary key,
        opened_at    timestamptz not null,
        action       text        not null
          constraint audit_entry_action_is_noun_verb check (action ~ '^[a-z_]+(\\.[a-z_]+)+$'),
        actor        text        not null,
        actor_name   text        not null,
        request_id   text,
        address      text,
        reason       text,
        device_id    uuid,
        job_id       uuid,
        operation_id uuid,
        subject      text        not null,
        facts        jsonb       not null default '{}',
        written_in   xid8        default pg_current_xact_id()
      );
      comment on table audit_entry is
        'Who set out to do what to what, written before the effect. Rows are only ever added. No foreign keys: an entry outlives what it speaks of.';
      comment on column audit_entry.operation_id is 'What the entry is a part of beyond one job: a fan-out.';
      create index audit_entry_time_idx      on audit_entry (opened_at desc, id desc);
      create index audit_entry_device_idx    on audit_entry (device_id, opened_at desc, id desc) where device_id is not null;
      create index audit_entry_job_idx       on audit_entry (job_id) where job_id is not null;
      create index audit_entry_operation_idx on audit_entry (operation_id) where operation_id is not null;
      create index audit_entry_written_idx   on audit_entry (written_in);

      -- No foreign key: an archived entry may have its outcome in a segment that is still here. The log finds outcomes without entry.
      create table audit_outcome (
        entry_id   uuid        not null constraint audit_outcome_pkey primary key,
        closed_at  timestamptz not null,
        outcome    text        not null
          constraint audit_outcome_is_known check (outcome in ('succeeded', 'failed', 'refused', 'unknown')),
        facts      jsonb       not null default '{}',
        written_in xid8        default pg_current_xact_id()
      );
      comment on table audit_outcome is
        'How an entry ended, written after the effect. An entry without one is open: its effect is under way, or the process died in it.';
      create index audit_outcome_written_idx on audit_outcome (written_in);

      revoke update, delete, truncate on audit_entry, audit_outcome from fleetgate_app;
    `);
    await db.query(LOG);
  }
}

/*
 * The Merkle log over the audit (docs/adr, "The audit is a Merkle log"). Rows remember the transaction that wrote them, so
 * that the sequencer finds what is new without a queue, and misses none that commits late.
 * Transaction numbers are those of one server. The log remembers whose its watermark is, so that it looks at everything
 * after its database was restored into another one, however the numbers of the two stand to each other.
 */
const LOG = `
      create table audit_log (
        id             uuid   not null constraint audit_log_pkey primary key,
        only_one       bool   not null default true
          constraint audit_log_is_one unique constraint audit_log_is_only_one check (only_one),
        origin         text   not null constraint audit_log_origin_is_a_key_name check (origin ~ '^[^[:space:]+]{1,200}$'),
        sealed_key     bytea,
        watermark      xid8,
        server_id      text,
        closed_through bigint not null default 0
      );
      comment on table audit_log is
        'The log and its signing key. Rows written in transactions before the watermark all have their place in it.';
      comment on column audit_log.server_id is 'The server that the watermark is of: pg_control_system().system_identifier.';
      comment on column audit_log.closed_through is 'Places of the log below which every entry has its outcome.';
      select fleetgate_sealed('audit_log', 'sealed_key');

      create table audit_leaf (
        sequence bigint   not null constraint audit_leaf_pkey primary key
          constraint audit_leaf_counts_from_zero check (sequence >= 0),
        kind     smallint not null constraint audit_leaf_kind_is_known check (kind in (0, 1)),
        row_id   uuid     not null,
        hash     bytea    not null constraint audit_leaf_hash_is_sha256 check (length(hash) = 32),
        seal     bytea    not null constraint audit_leaf_seal_has_16_bytes check (length(seal) = 16),
        constraint audit_leaf_row_has_one_place unique (row_id, kind)
      );
      comment on table audit_leaf is
        'The place of each entry (0) and outcome (1) in the log: hash of its canonical form, sealed with its place by a key.';

      create table audit_node (
        height   smallint not null,
        position bigint   not null,
        hash     bytea    not null constraint audit_node_hash_is_sha256 check (length(hash) = 32),
        constraint audit_node_pkey primary key (height, position)
      );
      comment on table audit_node is 'Hashes above 256, 65,536, ... leaves, so that a root or a proof reads little.';

      create table audit_checkpoint (
        size          bigint      not null constraint audit_checkpoint_pkey primary key,
        root          bytea       not null,
        signed_at     timestamptz not null,
        set_back_from timestamptz,
        note          text        not null
      );
      comment on table audit_checkpoint is 'What the log has signed of itself, as C2SP tlog-checkpoint.';
      comment on column audit_checkpoint.set_back_from is
        'The latest time that the clock had shown, when it shows an earlier one at this checkpoint. A copy from the note.';
      create index audit_checkpoint_set_back_idx on audit_checkpoint (size) where set_back_from is not null;

      create table audit_segment (
        number      bigint      not null constraint audit_segment_pkey primary key,
        first       bigint      not null,
        last        bigint      not null,
        root        bytea       not null,
        file_name   text        not null,
        file_sha256 bytea       not null,
        archived_at timestamptz not null,
        constraint audit_segment_is_whole check (last = first + 4095 and first = number * 4096)
      );
      comment on table audit_segment is
        'Leaves that were archived in a file and removed by the owner of the database. Their root stays in the log.';

      create table audit_witness (
        name     text        not null constraint audit_witness_pkey primary key,
        size     bigint      not null,
        shown_at timestamptz not null,
        answer   text        not null
      );
      comment on table audit_witness is 'The last checkpoint that each witness outside the database has taken.';

      revoke update, delete, truncate on audit_log, audit_leaf, audit_node, audit_checkpoint, audit_segment from fleetgate_app;
      revoke insert on audit_segment from fleetgate_app;
      grant update (watermark, server_id, closed_through) on audit_log to fleetgate_app;
      grant update (sealed_key) on audit_log to fleetgate_app; -- to be sealed with another key
    `;
