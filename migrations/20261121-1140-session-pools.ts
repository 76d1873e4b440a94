import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** How many sessions the gateway may hold at once with each account of a device. */
export class SessionPools1763725200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column sessions integer not null default 1
        constraint device_sessions_are_few check (sessions between 1 and 4);
      comment on column device.sessions is 'Sessions at once for each account; real devices leak memory with each login.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table device drop column sessions');
  }
}
