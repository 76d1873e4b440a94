import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** When a person last gave a device another address or serial number: older work may mean other hardware. */
export class DeviceMoves1795660800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column moved_at timestamptz;
      comment on column device.moved_at is
        'When a person last gave it another address or serial number; jobs and rollouts from before do not go on with it.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table device drop column moved_at');
  }
}
