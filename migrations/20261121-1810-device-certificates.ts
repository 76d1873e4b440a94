import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which certificates are on which device, and when they end. */
export class DeviceCertificates1763748600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table device_certificate (
        device_id   uuid        not null
          constraint device_certificate_belongs_to_a_device references device (id) on delete cascade,
        fullname    text        not null,
        type        text        not null,
        subject     text        not null,
        issuer      text        not null,
        not_before  timestamptz not null,
        not_after   timestamptz not null,
        fingerprint text        not null
          constraint device_certificate_fingerprint_is_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
        seen_at     timestamptz not null,
        job_id      uuid        not null,
        constraint device_certificate_pkey primary key (device_id, fullname)
      );
      comment on table device_certificate is 'Certificates on devices, as jobs last saw them; without keys.';
      create index device_certificate_expiry_idx on device_certificate (not_after, device_id, fullname);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table device_certificate');
  }
}
