import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The order of the audit is that of its log: where the clock was set back, and up to where no entry is open any more. */
export class AuditOrder1763881200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table audit_checkpoint add column set_back_from timestamptz;
      comment on column audit_checkpoint.set_back_from is
        'The latest time that the clock had shown, when it shows an earlier one at this checkpoint. A copy from the note.';
      create index audit_checkpoint_set_back_idx on audit_checkpoint (size) where set_back_from is not null;

      alter table audit_log add column closed_through bigint not null default 0;
      comment on column audit_log.closed_through is 'Places of the log below which every entry has its outcome.';
      grant update (closed_through) on audit_log to fleetgate_app;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table audit_checkpoint drop column set_back_from;
      alter table audit_log drop column closed_through;
    `);
  }
}
