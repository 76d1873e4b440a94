import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Logins whose password may be refused are counted before they are sent, so that replicas together keep the limit. */
export class LoginReservations1763727000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device_account
        add column proven_for      timestamptz,
        add column reserved_logins integer     not null default 0
          constraint device_account_reservations_count_up check (reserved_logins >= 0),
        add column reserved_until  timestamptz not null default '-infinity';
      comment on column device_account.proven_for is
        'The changed_at of the credentials that the device last took; those need no reservation until it refuses them.';
      comment on column device_account.reserved_logins is
        'Logins under way that may be refused; they count as refused until they ended, or until reserved_until.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table device_account drop column proven_for, drop column reserved_logins, drop column reserved_until',
    );
  }
}
