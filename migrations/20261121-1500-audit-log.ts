import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * The Merkle log over the audit (docs/adr, "The audit is a Merkle log"). Rows remember the transaction that wrote them, so
 * that the sequencer finds what is new without a queue, and misses nobody who commits late.
 */
export class AuditLog1763737200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- Null in rows from before; a default by itself would write every old row anew.
      alter table audit_entry   add column operation_id uuid, add column written_in xid8;
      alter table audit_entry   alter column written_in set default pg_current_xact_id();
      alter table audit_outcome add column written_in xid8;
      alter table audit_outcome alter column written_in set default pg_current_xact_id();
      create index audit_entry_written_idx   on audit_entry (written_in);
      create index audit_outcome_written_idx on audit_outcome (written_in);
      create index audit_entry_operation_idx on audit_entry (operation_id) where operation_id is not null;
      comment on column audit_entry.operation_id is 'What the entry is a part of beyond one job: a fan-out.';

      -- An archived entry may have its outcome in a segment that is still here. The log finds outcomes without entry.
      alter table audit_outcome drop constraint audit_outcome_closes_an_entry;

      create table audit_log (
        id         uuid  not null constraint audit_log_pkey primary key,
        only_one   bool  not null default true
          constraint audit_log_is_one unique constraint audit_log_is_only_one check (only_one),
        origin     text  not null constraint audit_log_origin_is_a_key_name check (origin ~ '^[^[:space:]+]{1,200}$'),
        sealed_key bytea,
        watermark  xid8
      );
      comment on table audit_log is
        'The log and its signing key. Rows written in transactions before the watermark all have their place in it.';

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
        size      bigint      not null constraint audit_checkpoint_pkey primary key,
        root      bytea       not null,
        signed_at timestamptz not null,
        note      text        not null
      );
      comment on table audit_checkpoint is 'What the log has signed of itself, as C2SP tlog-checkpoint.';

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
      grant update (watermark) on audit_log to fleetgate_app;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop table audit_witness, audit_segment, audit_checkpoint, audit_node, audit_leaf, audit_log;
      alter table audit_outcome drop column written_in,
        add constraint audit_outcome_closes_an_entry foreign key (entry_id) references audit_entry (id) not valid;
      alter table audit_entry drop column written_in, drop column operation_id;
    `);
  }
}
