import { type QueryRunner } from 'typeorm';

/** The certificate that each device shows in TLS. */
export class ShownCertificates1795795200000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table device_shown_certificate (
        device_id   uuid        not null constraint device_shown_certificate_pkey primary key
          constraint device_shown_certificate_belongs_to_a_device references device (id) on delete cascade,
        fingerprint text        not null
          constraint device_shown_certificate_fingerprint_is_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
        subject     text        not null,
        issuer      text        not null,
        key_type    text        not null,
        key_bits    integer,
        not_before  timestamptz not null,
        not_after   timestamptz not null,
        seen_at     timestamptz not null,
        constraint device_shown_certificate_names_are_short check (greatest(length(subject), length(issuer)) <= 256)
      );
      comment on table device_shown_certificate is 'The certificate that a device showed in its last handshakes, after its trust was checked.';
      create index device_shown_certificate_expiry_idx on device_shown_certificate (not_after, device_id);
    `);
  }
}
