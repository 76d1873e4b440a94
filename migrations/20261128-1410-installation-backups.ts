import { type QueryRunner } from 'typeorm';

/** When the whole installation was backed up, so that operators see that it is. */
export class InstallationBackups1795875000000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table installation_backup (
        made_at timestamptz not null constraint installation_backup_pkey primary key,
        bytes   bigint      not null constraint installation_backup_is_not_negative check (bytes >= 0)
      );
      comment on table installation_backup is 'Backups of the whole installation that were completed, each a file elsewhere.';
    `);
  }
}
