import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The passwords that a backup brings back when it is restored, stored as long as the backup is. */
export class BackupAccounts1763874600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table backup_account (
        id              uuid  not null constraint backup_account_pkey primary key,
        artifact_id     uuid  not null constraint backup_account_belongs_to_a_backup references artifact (id) on delete cascade,
        purpose         text  not null,
        username        text  not null,
        sealed_password bytea not null,
        constraint backup_account_once_per_purpose unique (artifact_id, purpose)
      );
      comment on table backup_account is 'The passwords of the gateway on a device at the time of a backup: a restore brings them back.';
      select fleetgate_sealed('backup_account', 'sealed_password');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table backup_account');
  }
}
