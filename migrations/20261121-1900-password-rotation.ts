import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The next password of an account stands beside the present one until the device has proven which of the two it takes. */
export class PasswordRotation1763751600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device_account
        add column sealed_pending    bytea,
        add column pending_job       uuid,
        add column pending_tried_by  uuid,
        add column pending_logins    integer not null default 0
          constraint device_account_pending_logins_count_up check (pending_logins >= 0),
        add column pending_refused   text[]  not null default '{}',
        add column changing_until    timestamptz,
        add column rotated_by        uuid,
        add constraint device_account_pending_has_a_job check ((sealed_pending is null) = (pending_job is null));
      comment on column device_account.sealed_pending is
        'The next password, from before it is sent to the device until a login has proven it. What a rotation could not resolve stays for the next one.';
      comment on column device_account.pending_job is 'The job that made the pending password.';
      comment on column device_account.pending_logins is
        'Logins that the job pending_tried_by made to find out which password counts, refused or without an answer.';
      comment on column device_account.pending_refused is
        'Which of the passwords, pending or present, the device refused to that job: it is not asked again.';
      comment on column device_account.changing_until is
        'Until then no session logs in: which password the device takes is just being changed.';
      comment on column device_account.rotated_by is 'The job that made the present password.';
      select fleetgate_sealed('device_account', 'sealed_pending');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device_account
        drop column sealed_pending_key, drop column sealed_pending, drop column pending_job, drop column pending_tried_by,
        drop column pending_logins, drop column pending_refused, drop column changing_until, drop column rotated_by`);
  }
}
