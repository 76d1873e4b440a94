import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** How often a device failed in a row, and why its state changed. */
export class FailedChecks1795657200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column failed_checks integer not null default 0
        constraint device_failed_checks_count_up check (failed_checks >= 0);
      comment on column device.failed_checks is 'Checks in a row without an answer; two make it offline.';
      alter table device_change add column reason text;
      comment on column device_change.reason is 'Why the state changed, for the field state.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device_change drop column reason;
      alter table device drop column failed_checks;
    `);
  }
}
