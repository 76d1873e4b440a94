import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What is approved are these devices: a selector that names others later does not carry the approval over to them. */
export class ApprovedDevices1763766660000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table approval add column device_ids uuid[] not null default '{}';
      alter table approval alter column device_ids drop default;
      comment on column approval.device_ids is 'The devices that were named when it was asked for: it is good for these and no others.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table approval drop column device_ids');
  }
}
