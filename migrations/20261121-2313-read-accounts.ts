import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Few devices have an account for reads. With an index of these alone a list of devices looks into a few pages for them;
 * without it Postgres goes through the accounts of the whole fleet.
 */
export class ReadAccounts1763766780000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index device_account_read_idx on device_account (device_id) where purpose = 'read'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index device_account_read_idx');
  }
}
