import { type QueryRunner } from 'typeorm';

/** Certificates that a watch found, and those of which nothing but the name is known. */
export class WatchedCertificates1795937400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device_certificate
        add column made_at text,
        alter column subject drop not null,
        alter column issuer drop not null,
        alter column not_before drop not null,
        alter column not_after drop not null,
        alter column fingerprint drop not null,
        alter column job_id drop not null,
        add constraint device_certificate_is_known_or_not
          check (num_nulls(subject, issuer, not_before, not_after, fingerprint) in (0, 5)) not valid;
      comment on table device_certificate is 'Certificates on devices, as jobs and watches last saw them; without keys.';
      comment on column device_certificate.made_at is 'What the list of the device said of its time when a watch read the file; null: no watch has.';
    `);
  }
}
