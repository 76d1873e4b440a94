import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Transaction numbers are those of one server. The log remembers whose its watermark is, so that it looks at everything
 * after its database was restored into another one, however the numbers of the two stand to each other.
 */
export class AuditServer1763807400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table audit_log add column server_id text;
      comment on column audit_log.server_id is 'The server that the watermark is of: pg_control_system().system_identifier.';
      grant update (server_id) on audit_log to fleetgate_app;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table audit_log drop column server_id');
  }
}
