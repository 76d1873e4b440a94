import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The states of the last hours, for the availability of the fleet: without the index each look reads the whole history. */
export class Availability1795514400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index device_change_state_idx on device_change (at) where field = 'state'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index device_change_state_idx');
  }
}
